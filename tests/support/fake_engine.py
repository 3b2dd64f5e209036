"""An engine of HTTP that does as a test tells it: answers, refuses, stalls."""
import http.server
import threading
import time


class FakeEngine:
    """answer(path, headers, body) returns (status, text), or None to close the
    connection; posts is what came, as (path, headers, body)."""

    def __init__(self, answer=lambda path, headers, body: (204, '')):
        self.answer, self.posts, self.lock = answer, [], threading.Lock()
        fake = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'

            def reply(self, body):
                said = fake.answer(self.path, self.headers, body)
                if said is None:
                    self.close_connection = True
                    return
                self.send_response(said[0])
                text = said[1].encode('utf-8')
                self.send_header('Content-Length', str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def do_POST(self):
                body = self.rfile.read(int(self.headers['Content-Length']))
                with fake.lock:
                    fake.posts.append((self.path, dict(self.headers), body))
                self.reply(body)

            def do_GET(self):
                self.reply(b'')

            def log_message(self, *args):
                pass

        class Server(http.server.ThreadingHTTPServer):
            def handle_error(self, *args):
                pass                    # who asked gave up

        self.server = Server(('127.0.0.1', 0), Handler)
        self.url = 'http://127.0.0.1:%d' % self.server.server_port
        self.thread = threading.Thread(target=self.server.serve_forever,
                                       kwargs={'poll_interval': 0.05})

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *why):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


def stall(seconds):
    """An answer that comes late."""
    time.sleep(seconds)
    return 204, ''
