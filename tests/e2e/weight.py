"""What a page weighs: its requests, the bytes they bring, and when it can be used."""

from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Page

#: Notes when the script holds the page and a grade could be chosen.
WATCH = """
(() => {
  const look = () => {
    const ready = document.body?.classList.contains("with-script")
      && document.querySelector("[name^=mark-]");
    if (ready) globalThis.usableAt = performance.now();
    else requestAnimationFrame(look);
  };
  look();
})();
"""


@dataclass
class Weight:
    """A page as the browser met it; what came out of its cache brought no bytes and is no request."""

    brought: dict[str, int] = field(default_factory=dict)
    usable_ms: float = 0.0

    @property
    def n_requests(self) -> int:
        return len(self.brought)

    @property
    def n_bytes(self) -> int:
        return sum(self.brought.values())


def weigh(page: Page, url: str, *, slow: bool = False) -> Weight:
    """Open a page and weigh it. `slow`: over a line of 10 Mbit/s that answers after 40 ms."""
    found = Weight()
    addresses: dict[str, str] = {}
    cached: set[str] = set()

    def finished(event: dict[str, Any]) -> None:
        request = event["requestId"]
        address = addresses.get(request, "")
        if address.startswith("http") and request not in cached:
            found.brought[address] = int(event["encodedDataLength"])

    def responded(event: dict[str, Any]) -> None:
        if event["response"].get("fromDiskCache"):
            cached.add(event["requestId"])

    tools = page.context.new_cdp_session(page)
    tools.on(
        "Network.requestWillBeSent",
        lambda event: addresses.__setitem__(event["requestId"], event["request"]["url"]),
    )
    tools.on("Network.requestServedFromCache", lambda event: cached.add(event["requestId"]))
    tools.on("Network.responseReceived", responded)
    tools.on("Network.loadingFinished", finished)
    tools.send("Network.enable")
    if slow:
        rate = 10_000_000 / 8
        line = {"latency": 40, "downloadThroughput": rate, "uploadThroughput": rate}
        tools.send("Network.emulateNetworkConditions", {"offline": False, **line})
    page.add_init_script(WATCH)
    page.goto(url, wait_until="load")
    page.wait_for_selector("body.with-script")
    page.wait_for_timeout(300)
    found.usable_ms = page.evaluate("globalThis.usableAt")
    tools.detach()
    return found
