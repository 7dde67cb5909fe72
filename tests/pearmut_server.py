"""pearmut itself, for tests: served on the loopback, and asked as its page asks."""

import json
import os
import re
import socket
import subprocess
import time
import urllib.request

PEARMUT = os.environ.get("SKLEARN_MTEVAL_PEARMUT")  # the program, of an environment of its own


class Server:
    """pearmut with the campaigns of some files, which are added before it starts."""

    def __init__(self, folder, *names):
        environment = os.environ | {"PEARMUT_ROOT": str(folder)}
        run = {"env": environment, "cwd": folder, "stdout": subprocess.PIPE, "text": True}
        self.users = {}
        for name in names:
            asked = [PEARMUT, "add", f"{name}.json"]
            said = subprocess.run(asked, check=True, **run).stdout
            self.users[name] = re.findall(r"user_id=(\S+)", said)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.url = f"http://127.0.0.1:{free.getsockname()[1]}"
        port = self.url.rpartition(":")[2]
        run["stdout"] = subprocess.DEVNULL
        self.process = subprocess.Popen([PEARMUT, "run", "--port", port], **run)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=20)

    def ask(self, path, **given):
        """Ask as the page does, waiting for the server to start."""
        body, headers = json.dumps(given).encode(), {"Content-Type": "application/json"}
        for _ in range(300):
            try:
                request = urllib.request.Request(f"{self.url}/{path}", body, headers)
                with urllib.request.urlopen(request) as answer:
                    return json.loads(answer.read())
            except urllib.error.URLError:
                time.sleep(0.1)
        raise TimeoutError(path)

    def judge(self, name, user, score):
        """Judge all documents of a user; ``score`` is asked about an item and a token."""
        who = {"campaign_id": name, "user_id": user}
        while (got := self.ask("get-next-item", **who))["status"] != "goodbye":
            items = got["payload"]
            said = [
                {token: {"score": score(item, token), "error_spans": []} for token in item["tgt"]}
                for item in items
            ]
            answer = {"annotation": said, "item": items, "actions": [{"time": 1.0}]}
            self.ask("log-response", **who, item_i=got["info"]["item_i"], payload=answer)
