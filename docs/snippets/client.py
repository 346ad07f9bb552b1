"""A client in Python, of the standard library alone: it sends a transfer and reads its pre-confirmed receipt."""
import json
import urllib.request


def request(method, *params, url="http://127.0.0.1:8546"):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    headers = {"Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(url, body, headers)) as response:
        answer = json.load(response)
    if "error" in answer:
        raise RuntimeError(answer["error"]["message"])
    return answer["result"]


# The chain signs for its own accounts.
alice, bob = request("eth_accounts")[:2]
receipt = request("eth_sendTransactionSync", {"from": alice, "to": bob, "value": hex(10**18)})
print("pre-confirmed in block", int(receipt["blockNumber"], 16), "with status", receipt["status"])
print("bob has", int(request("eth_getBalance", bob, "pending"), 16) // 10**18, "ether")
