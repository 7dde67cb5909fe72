"""pearmut itself, serving campaigns on the loopback, and annotators who answer as its page does."""

import json
import os
import re
import socket
import subprocess
import time
import urllib.request

PEARMUT = os.environ.get("SKLEARN_MTEVAL_PEARMUT")  # the program, of an environment of its own


class Server:
    """A server of the campaigns ``names``, whose files are in ``folder``."""

    def __init__(self, folder, *names):
        run = {"env": os.environ | {"PEARMUT_ROOT": str(folder)}, "cwd": folder, "text": True}
        run["stdout"] = subprocess.PIPE
        files = [f"{name}.json" for name in names]
        said = subprocess.run([PEARMUT, "add", *files], check=True, **run).stdout
        found = re.findall(r"campaign_id=([^&\s]+)&user_id=(\S+)", said)
        self.users = {name: [user for of, user in found if of == name] for name in names}
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.url = f"http://127.0.0.1:{free.getsockname()[1]}"
        run["stdout"] = subprocess.DEVNULL
        self.process = subprocess.Popen([PEARMUT, "run", "--port", self.url[17:]], **run)
        self.folder = folder
        self.ask("get-next-item", campaign_id=names[0], user_id=self.users[names[0]][0])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=20)

    def log(self, name):
        """Return where the results of a campaign are."""
        return self.folder / "data" / "annotations" / f"{name}.jsonl"

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

    def judge(self, name, user, said_of):
        """Judge all documents of a user; ``said_of(item, token)`` is the score, or all."""

        def judgement(item, token):
            said = said_of(item, token)
            return said if isinstance(said, dict) else {"score": said, "error_spans": []}

        start = 1000.0
        while True:
            got = self.ask("get-next-item", campaign_id=name, user_id=user)
            if got["status"] == "goodbye":
                return
            answer = {
                "annotation": [
                    {token: judgement(item, token) for token in item["tgt"]}
                    for item in got["payload"]
                ],
                "item": got["payload"],
                "actions": [{"time": start + k * 30, "action": "load"} for k in range(3)],
            }
            start += 1000
            place = got["info"]["item_i"]
            self.ask("log-response", campaign_id=name, user_id=user, item_i=place, payload=answer)

    def open(self, browser, name, user):
        """Open the page of a user; nothing may be asked of another place, and no dialog shown."""
        page, problems = browser.new_page(), []
        page.on("dialog", lambda dialog: (problems.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda r: r.url.startswith(self.url) or problems.append(r.url))
        page.goto(f"{self.url}/annotate?campaign_id={name}&user_id={user}")
        page.wait_for_selector(".output_block")
        return page, problems


def set_score(candidate, value):
    """Move the slider of a translation."""
    candidate.locator("input[type=range]").evaluate(
        "(e, v) => { e.value = v; for (const n of ['input', 'change'])"
        " e.dispatchEvent(new Event(n, {bubbles: true})); }",
        value,
    )


def submit(page):
    """Press the button, and wait for what comes next."""
    with page.expect_response("**/get-next-item"):
        page.locator("#button_next").click()
