/** The address that was typed to sign in, for who then has forgotten the password: in the memory of this page, not in its address. */
let typed = "";

export function noteTypedAddress(address: string): void {
  typed = address;
}

export function findTypedAddress(): string {
  return typed;
}
