"""A switch of several ASICs: a redis-server for the host and one an ASIC, as
SONiC's database_global.json places them below one folder."""
import json
import os
import shutil

from driver_said import Said
from folder import open_folder
from redis import CONFIG, IDS, SEPARATORS, Redis

GLOBAL = "var/run/redis/sonic-db/database_global.json"


def config_of(sock):
    return {"INSTANCES": {"redis": {"hostname": "127.0.0.1", "port": 6379,
                                    "unix_socket_path": sock}},
            "DATABASES": {n: {"id": i, "separator": SEPARATORS[n],
                              "instance": "redis"} for n, i in IDS.items()},
            "VERSION": "1.0"}


def write(root, path, content):
    path = os.path.join(root, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".new", "w") as f:
        json.dump(content, f)
    os.rename(path + ".new", path)


class Asics:
    def __init__(self, count=2, global_file=True):
        self.count = count
        self.root = open_folder(prefix="petrel-asics-")
        self.host = Redis(self.root)
        self.asic = []
        for n in range(count):
            sock = "var/run/redis%d/redis.sock" % n
            self.asic.append(Redis(self.root, sock, config=False))
            write(self.root, "var/run/redis%d/sonic-db/database_config.json"
                  % n, config_of("/" + sock))
        if global_file:
            self.write_global()

    def write_global(self):
        write(self.root, GLOBAL, {
            "INCLUDES": [{"include": os.path.basename(CONFIG)}] + [
                {"namespace": "asic%d" % n, "include":
                 "../../redis%d/sonic-db/database_config.json" % n}
                for n in range(self.count)], "VERSION": "1.0"})

    def __enter__(self):
        for redis in [self.host] + self.asic:
            redis.start()
        return self

    def __exit__(self, *_):
        for redis in [self.host] + self.asic:
            redis.stop()
        shutil.rmtree(self.root, ignore_errors=True)


SENSORS = ("TEMPERATURE_INFO", "FAN_INFO", "PSU_INFO", "PSU_FAN_INFO",
           "VOLTAGE_INFO", "CURRENT_INFO", "LIQUID_COOLING_INFO",
           "ASIC_TEMPERATURE_INFO", "STORAGE_INFO", "CHASSIS_MODULE_TABLE",
           "CHASSIS_MIDPLANE_TABLE")


def of_asic(content):
    """What of an ASIC's databases is the ASIC's: sensors are the host's."""
    state = {k: v for k, v in content["STATE_DB"].items()
             if k.split("|")[0] not in SENSORS}
    return dict(content, STATE_DB=state)


def part(said, asic):
    """What was said of one ASIC and all below it."""
    mine = {h for h in said.entities if top(said, h) == asic}
    out = Said("", said.status)
    out.lines = [x for x in said.lines
                 if "handle" not in x or x["handle"] in mine]
    out.entities = {h: e for h, e in said.entities.items() if h in mine}
    return out


def top(said, handle):
    """The name of the ASIC that an entity lies below; None: the switch."""
    e = said.entities.get(handle)
    while e is not None and e["kind"] != "asic":
        e = said.entities.get(e["parent"])
    return e and e["name"]
