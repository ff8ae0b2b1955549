/** How a person is called: an account that the operator made may have no name. */
export function nameOf({ name, email }: { readonly name: string; readonly email: string }): string {
  return name.trim() === "" ? email : name;
}
