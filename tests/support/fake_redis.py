"""A server that answers what it is told to, right or wrong: for answers that a
real Redis gives only when it is ill."""
import os
import socket
import threading


class FakeRedis:
    """answer(words, db) -> bytes to send for one command; b"" says nothing."""

    def __init__(self, path, answer):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if os.path.exists(path):
            os.unlink(path)
        self.answer = answer
        self.server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.server.bind(path)
        self.server.listen(16)
        self.stopping = False
        self.clients = []
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while not self.stopping:
            try:
                client, _ = self.server.accept()
            except OSError:
                return
            self.clients.append(client)
            threading.Thread(target=self.talk, args=(client,),
                             daemon=True).start()

    def talk(self, client):
        db = 0
        try:
            with client, client.makefile("rb") as f:
                while not self.stopping:
                    head = f.readline()
                    if not head.startswith(b"*"):
                        return
                    words = []
                    for _ in range(int(head[1:])):
                        size = int(f.readline()[1:])
                        words.append(f.read(size + 2)[:-2].decode())
                    if words[0] == "SELECT":
                        db = int(words[1])
                    reply = self.answer(words, db)
                    if reply is None:
                        return
                    client.sendall(reply)
        except (OSError, ValueError):
            pass

    def close(self):
        self.stopping = True
        self.server.close()
        for client in self.clients:
            try:
                client.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
