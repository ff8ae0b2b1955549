import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { createKeyFile, generateKeyPair } from "@sealpost/sdk";
import { createId, createWebhookSecret, seal, signStandard } from "@sealpost/wire";
import { unzipSync } from "fflate";
import { version } from "../../scripts/release/packages.ts";
import { isPresent } from "../../scripts/test-clients/language.ts";
import { findPython } from "../../scripts/test-clients/python.ts";
import { createInstalled, type Folder, releaseFolder } from "./folders.ts";

// The packages of other languages, as a release has them: each in a folder where nothing else of this repository is.

/** A folder with a key file, and a delivery that is signed now: the same one for every language. */
async function createFolder(t: TestContext): Promise<Folder> {
  const folder = createInstalled(t, []);
  const { publicKey, privateKey } = await generateKeyPair();
  const form = { id: createId("form"), name: "Contact" };
  const id = createId("submission");
  const payload = await seal({ name: "Zoë" }, { formId: form.id, keyVersion: 1, submissionId: id }, publicKey);
  const seconds = Math.floor(Date.now() / 1000);
  const submission = { id, payload, keyVersion: 1, timestamp: seconds * 1000, receivedAt: seconds * 1000 };
  const body = JSON.stringify({ event: "submission.created", timestamp: seconds * 1000, form, submission });
  const secret = createWebhookSecret();
  const delivery = createId("delivery");
  const headers = {
    "webhook-id": delivery,
    "webhook-timestamp": String(seconds),
    "webhook-signature": await signStandard(secret, delivery, seconds, new TextEncoder().encode(body)),
  };
  folder.write("delivery.json", JSON.stringify({ secret, headers, body }));
  const key = { formId: form.id, formName: form.name, keyVersion: 1, createdAt: 1, privateKey };
  folder.write("key.json", JSON.stringify(await createKeyFile(key)));
  return folder;
}

function unzip(file: string, folder: Folder): void {
  for (const [name, bytes] of Object.entries(unzipSync(readFileSync(join(releaseFolder, file))))) {
    assert.ok(!name.includes("..") && !name.startsWith("/"), name);
    folder.write(name, "");
    writeFileSync(join(folder.path, name), bytes);
  }
}

/** Printed by every program: the name that it opened, and that it refused the same delivery with one byte more. */
const expected = "Zoë refused\n";

test("sealpost for Python, installed from its wheel and from its sources, verifies and opens", async (t) => {
  const python = findPython();
  if (python === undefined) return t.skip("Python 3.11 or newer with pip is absent");
  const folder = await createFolder(t);
  const program = folder.write(
    "program.py",
    `
import json
from importlib.metadata import version
from sealpost import Receiver, load_key

with open("delivery.json", encoding="utf-8") as file:
    delivery = json.load(file)
receiver = Receiver(delivery["secret"], [load_key("key.json")])
received = receiver.receive(delivery["headers"], delivery["body"].encode())
changed = receiver.receive(delivery["headers"], delivery["body"].encode() + b" ")
assert received.verified and received.opened is not None and received.opened.opened
assert version("sealpost") == "${version}"
print(received.opened.fields["name"], "verified" if changed.verified else "refused")`,
  );
  for (const file of [`sealpost-${version}-py3-none-any.whl`, `sealpost-${version}.tar.gz`]) {
    const home = join(folder.path, file.endsWith(".whl") ? "wheel" : "sources");
    folder.run([python, "-m", "venv", home]);
    const installed = join(home, process.platform === "win32" ? "Scripts" : "bin", "python");
    const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    folder.run([installed, ...pip, join(releaseFolder, file)]);
    assert.equal(folder.run([installed, program], { PYTHONIOENCODING: "utf-8" }), expected, file);
    assert.equal(
      folder.run([
        installed,
        "-c",
        "import sealpost, pathlib; print((pathlib.Path(sealpost.__file__).parent / 'py.typed').is_file())",
      ]),
      "True\n",
    );
  }
});

test("sealpost-go, unpacked next to a program, is all that it needs to verify and open", async (t) => {
  if (!isPresent("go", "version")) return t.skip("Go is absent");
  const folder = await createFolder(t);
  unzip(`sealpost-go-${version}.zip`, folder);
  const environment = { GOPROXY: "off", GOTOOLCHAIN: "local", GOFLAGS: "-mod=mod" };
  if (folder.try(["go", "-C", `sealpost-go@v${version}`, "list", "."], environment).status !== 0)
    return t.skip("Go 1.26 or newer is absent");
  folder.write(
    "main.go",
    `package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"

	sealpost "sealpost-go"
)

func main() {
	text, err := os.ReadFile("delivery.json")
	if err != nil {
		log.Fatal(err)
	}
	var given struct {
		Secret, Body string
		Headers      map[string]string
	}
	if err := json.Unmarshal(text, &given); err != nil {
		log.Fatal(err)
	}
	key, err := sealpost.ReadKeyFile("key.json")
	if err != nil {
		log.Fatal(err)
	}
	receiver, err := sealpost.NewReceiver(sealpost.ReceiverOptions{Secret: given.Secret, Keys: []*sealpost.OpeningKey{key}})
	if err != nil {
		log.Fatal(err)
	}
	receive := func(body string) (*sealpost.Delivery, error) {
		request, err := http.NewRequest("POST", "http://localhost/", strings.NewReader(body))
		if err != nil {
			log.Fatal(err)
		}
		for name, value := range given.Headers {
			request.Header.Set(name, value)
		}
		return receiver.Receive(request)
	}
	delivery, err := receive(given.Body)
	if err != nil {
		log.Fatal(err)
	}
	created := delivery.Event.(*sealpost.SubmissionCreated)
	if _, err := receive(given.Body + " "); err == nil {
		log.Fatal("verified")
	}
	fmt.Println(created.Fields["name"], "refused")
}
`,
  );
  folder.run(["go", "mod", "init", "program"], environment);
  const place = `sealpost-go=./sealpost-go@v${version}`;
  folder.run(["go", "mod", "edit", `-require=sealpost-go@v${version}`, `-replace=${place}`], environment);
  assert.equal(folder.run(["go", "run", "."], environment), expected);
});

const phpProgram = (autoload: string) => `<?php
require __DIR__ . '/${autoload}';

use Sealpost\\OpeningKey;
use Sealpost\\Receiver;

$delivery = json_decode(file_get_contents(__DIR__ . '/delivery.json'), true);
$receiver = new Receiver($delivery['secret'], [OpeningKey::load(__DIR__ . '/key.json')]);
$received = $receiver->receive($delivery['headers'], $delivery['body']);
$changed = $receiver->receive($delivery['headers'], $delivery['body'] . ' ');
echo $received->opened->fields['name'], $changed->verified ? ' verified' : ' refused', "\\n";
`;
const phpCheck = 'exit(PHP_VERSION_ID >= 80100 && PHP_INT_SIZE === 8 && extension_loaded("openssl") ? 0 : 1);';

test("sealpost for PHP, unpacked next to a program, verifies and opens without Composer", async (t) => {
  if (!isPresent("php", "-r", phpCheck)) return t.skip("PHP 8.1 or newer with openssl is absent");
  const folder = await createFolder(t);
  unzip(`sealpost-php-${version}.zip`, folder);
  const program = folder.write("program.php", phpProgram(`sealpost-php-${version}/autoload.php`));
  assert.equal(folder.run(["php", program]), expected);
});

test("Composer installs sealpost for PHP from the archive alone", async (t) => {
  if (!isPresent("composer", "--version")) return t.skip("Composer is absent");
  const zipCheck = 'exit(extension_loaded("zip") ? 0 : 1);';
  if (!isPresent("php", "-r", zipCheck))
    return t.skip("PHP has no zip extension, without which Composer reads no archives");
  const folder = await createFolder(t);
  folder.write("artifacts/.keep", "");
  const archive = `sealpost-php-${version}.zip`;
  writeFileSync(join(folder.path, "artifacts", archive), readFileSync(join(releaseFolder, archive)));
  folder.write(
    "composer.json",
    JSON.stringify({ repositories: [{ type: "artifact", url: "artifacts" }, { "packagist.org": false }] }),
  );
  folder.run(["composer", "require", "--no-interaction", "--quiet", `sealpost/sealpost:${version}`]);
  const program = folder.write("program.php", phpProgram("vendor/autoload.php"));
  assert.equal(dirname(program), folder.path);
  assert.equal(folder.run(["php", program]), expected);
});

test("what is released of another language has the licence, no tests, and no link that leads nowhere", (t) => {
  for (const file of [`sealpost-go-${version}.zip`, `sealpost-php-${version}.zip`]) {
    const folder = createInstalled(t, []);
    unzip(file, folder);
    const names = Object.keys(unzipSync(readFileSync(join(releaseFolder, file))));
    assert.ok(names.some((name) => name.endsWith("/LICENSE")));
    assert.deepEqual(
      names.filter((name) => /_test\.go$|\/tests\//.test(name)),
      [],
    );
    for (const name of names.filter((one) => one.endsWith(".md"))) {
      const markdown = readFileSync(join(folder.path, name), "utf8");
      for (const [, link = ""] of markdown.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g))
        assert.ok(names.includes(join(name, "..", link)), `${name}: ${link}`);
    }
  }
});
