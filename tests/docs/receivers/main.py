import sys

from guide_open import open_submission, private_key
from guide_verify import base64, verify
import json

asked = json.load(sys.stdin)
keys = {name: private_key(jwk) for name, jwk in asked["keys"].items()}
print(
    json.dumps(
        {
            "verdicts": [verify(c["secret"], c["headers"], base64.b64decode(c["body"])) for c in asked["cases"]],
            "opened": [
                [open_submission(keys[name], o["formId"], o["submission"]) for name in o["keys"]]
                for o in asked["openings"]
            ],
        },
        default=float,
    ).replace("Infinity", "1e400")
)
