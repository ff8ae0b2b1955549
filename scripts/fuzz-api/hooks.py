"""What Schemathesis can't know of this API: values that only a service with content has, and lines of JSON."""

import json
import os
import re
from base64 import urlsafe_b64encode
from itertools import count
from zlib import crc32

import jsonschema_rs
import schemathesis
from schemathesis.core.failures import Failure
from schemathesis.core.parameters import ParameterLocation

with open(os.environ["SEALPOST_FUZZ_KNOWN"], encoding="utf-8") as file:
    known = json.load(file)

numbers = count(1)
lasting = {value for group in known["ids"].values() for ids in group for value in ids.values()}
lasting |= {known["plainForm"], known["sealedForm"]}
ID = re.compile(r"(form|sub|dlv|key)_[0-7][0-9a-z]{25}")


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """What is made can be used, and is gone once it is deleted: the links that can't be guessed from names."""
    operations = {
        operation["operationId"]: (path, operation)
        for path, methods in raw_schema["paths"].items()
        for operation in methods.values()
    }

    def link(source, status, target, **parameters):
        answers = operations[source][1]["responses"]
        answers[status].setdefault("links", {})[f"{source} {target}"] = {
            "operationId": target,
            "parameters": parameters,
        }

    for target, (path, _) in operations.items():
        if re.findall(r"{(\w+)}", path) == ["form_id"]:
            link("createForm", "200", target, form_id="$response.body#/form/id")
            link("listForms", "200", target, form_id="$response.body#/forms/0/id")
    for target in ("getSubmission", "deleteSubmission"):
        form = "$request.path.form_id"
        link("postSubmission", "201", target, form_id=form, submission_id="$response.body#/submission/id")
    link("createApiKey", "200", "revokeApiKey", key_id="$response.body#/key/id")


@schemathesis.hook
def map_case(context, case):
    """Puts values in where a random one would be refused, and leaves what is meant to be wrong."""
    fill_path(case)
    if not is_meant_wrong(case, ParameterLocation.QUERY):
        fill_query(case)
    if not is_meant_wrong(case, ParameterLocation.BODY):
        fill_body(case)
    return case


def fill_path(case):
    """Ids that belong together: a random text is never the id of a form, and nearly every answer would be a 404."""
    drawn = case.path_parameters or {}
    names = [name for name in drawn if name in known["ids"]]
    if not names or is_meant_wrong(case, ParameterLocation.PATH):
        return
    if "version" in drawn:
        case.path_parameters = drawn = {**drawn, "version": "1"}  # the key version that every form has
    # What Schemathesis took from an answer or along a link stays, but for what others need until the end.
    if any(ID.fullmatch(str(drawn[name])) for name in names):
        if not (is_changing(case) and any(drawn[name] in lasting for name in names)):
            return
    # Four times in five; the others are not found. The last id in a path names what the request is about.
    elif digest(drawn) % 5 == 0:
        return
    ids = known["spare" if is_changing(case) else "ids"][names[-1]]
    case.path_parameters = {**drawn, **pick(ids, drawn)}


def fill_query(case):
    """Cursors are opaque, and an export continues after a submission of its own form."""
    query = case.query or {}
    if "cursor" in query:
        query["cursor"] = known["cursors"][case.operation.path]
    if "after" in query:
        case.path_parameters = {"form_id": known["plainForm"]}
        query["after"] = known["after"]


def fill_body(case):
    body = case.body
    if not isinstance(body, dict):
        return
    # Names repeat where they are drawn, and the second form would be refused. Those that test a length or spaces stay.
    name = body.get("name")
    is_plain = isinstance(name, str) and len(name) < 80 and name == name.strip().strip("\ufeff")
    if case.operation.path == "/api/forms" and is_plain:
        body["name"] = f"{name} {next(numbers)}"
    # A form takes no key that it has had before, and drawn ones repeat.
    key = body.get("publicKey")
    if case.operation.path.endswith("/rotate-keys") and isinstance(key, dict):
        key["n"] = urlsafe_b64encode(b"\xff" + next(numbers).to_bytes(382, "big") + b"\x01").decode()
    # Both keys of a version come from the same side, as the description says and no schema can.
    body.pop("hybrid" if isinstance(key, dict) else "hybridPublicKey", None)
    hybrid = body.get("hybridPublicKey")
    if case.operation.path.endswith("/rotate-keys") and isinstance(hybrid, dict):
        hybrid["pub"] = urlsafe_b64encode(next(numbers).to_bytes(1216, "big")).decode().rstrip("=")
    settings = body.get("settings")
    if isinstance(settings, dict):
        # Hosts and ports are checked as browsers do it, and networks by the service's own rules: no pattern says that.
        if isinstance(settings.get("webhookUrl"), str):
            settings["webhookUrl"] = pick(known["webhookUrls"], settings)
        if isinstance(settings.get("allowedOrigins"), list):
            settings["allowedOrigins"] = [pick(known["origins"], origin) for origin in settings["allowedOrigins"]]
        # How few bytes may be a form's limit hangs on its `encryption` and keys, as the description says and no schema can.
        bytes_max = settings.get("submissionBytesMax")
        if isinstance(bytes_max, int) and settings.get("encryption") is not False:
            settings["submissionBytesMax"] = max(bytes_max, known["hybridBytesLeast"])
    payload = body.get("payload")
    if isinstance(payload, dict) and "form_id" in (case.path_parameters or {}):
        # What fits hangs on the form: whether it takes plain submissions, its key versions, how long its modulus is.
        is_sealed = payload.get("encrypted") is True
        case.path_parameters = {"form_id": known["sealedForm" if is_sealed else "plainForm"]}
        if is_sealed:
            payload["version"] = "sp1"
            payload["key"] = known["sealedKey"]
        if "keyVersion" in body:
            body["keyVersion"] = 1


def is_meant_wrong(case, location):
    return case.meta is not None and case.meta.is_negative_at(location)


def is_changing(case):
    return case.operation.method.upper() in ("DELETE", "PATCH") or case.operation.path.endswith("/delete")


def pick(choices, drawn):
    return choices[digest(drawn) // 5 % len(choices)]


def digest(drawn):
    """Chance that hangs on what was drawn alone, so that a seed repeats a run."""
    return crc32(repr(drawn).encode("utf-8", "surrogatepass"))


@schemathesis.check
def lines_conform(ctx, response, case):
    """`response_schema_conformance` for NDJSON: the schema is that of a line."""
    if response.headers.get("content-type", [""])[0] != "application/x-ndjson":
        return
    components = case.operation.schema.raw_schema["components"]
    line = jsonschema_rs.validator_for({"$ref": "#/components/schemas/Submission", "components": components})
    for text in response.text.splitlines():
        for error in line.iter_errors(json.loads(text)):
            raise Failure(operation=case.operation.label, title="Line violates schema", message=str(error))
