import { isIP, type LookupFunction } from "node:net";

/** Answers with the checked addresses, so that no second question to a name server can lead elsewhere. */
export function pinnedLookup(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_name, options, callback) => {
    const [first] = answers;
    if (options.all) callback(null, answers);
    else if (first !== undefined) callback(null, first.address, first.family);
  };
}
