import assert from "node:assert/strict";

export interface Exposition {
  /** Types of the metric families, by their name. */
  readonly types: ReadonlyMap<string, string>;
  /** The one sample with this name and exactly these labels; `undefined` when there is none. */
  value(name: string, labels?: Readonly<Record<string, string>>): number | undefined;
}

const sample = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const label = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y;

/** Reads the text format of Prometheus (version 0.0.4) strictly: every line must be one of its own. */
export function parseExposition(text: string): Exposition {
  assert.ok(text.endsWith("\n"));
  const types = new Map<string, string>();
  const samples = new Map<string, number>();
  for (const line of text.split("\n")) {
    if (line === "" || line.startsWith("# HELP ")) continue;
    const type = /^# TYPE (\S+) (counter|gauge|histogram|summary|untyped)$/.exec(line);
    if (type !== null) {
      assert.ok(!types.has(type[1] ?? ""), `${type[1]} is notified twice`);
      types.set(type[1] ?? "", type[2] ?? "");
      continue;
    }
    const found = sample.exec(line);
    assert.ok(found !== null, line);
    const [, name = "", labels = "", value = ""] = found;
    const family = name.replace(/_(bucket|sum|count)$/, "");
    assert.ok(types.has(name) || types.get(family) === "histogram" || types.get(family) === "summary", line);
    const number = value === "+Inf" ? Number.POSITIVE_INFINITY : Number(value);
    assert.ok(!Number.isNaN(number) || value === "NaN", line);
    const key = keyOf(name, parseLabels(labels));
    assert.ok(!samples.has(key), `${key} is notified twice`);
    samples.set(key, number);
  }
  return { types, value: (name, labels = {}) => samples.get(keyOf(name, labels)) };
}

function parseLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  label.lastIndex = 0;
  while (label.lastIndex < text.length) {
    const found = label.exec(text);
    assert.ok(found !== null, text);
    labels[found[1] ?? ""] = found[2] ?? "";
  }
  return labels;
}

function keyOf(name: string, labels: Readonly<Record<string, string>>): string {
  return JSON.stringify([name, Object.entries(labels).sort()]);
}
