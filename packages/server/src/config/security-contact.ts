const contactsMax = 10;
const lengthMax = 500;

/**
 * Addresses for security researchers (RFC 9116, section 2.5.3), the preferred first, with commas between. Only what the RFC names:
 * `mailto:`, `https:` and `tel:`. A comma of an address itself is `%2C`.
 */
export function parseSecurityContacts(text: string): readonly string[] | undefined {
  const contacts = text.split(",").map((contact) => contact.trim());
  const isEach = contacts.every((contact) => contact.length <= lengthMax && isContact(contact));
  return isEach && contacts.length <= contactsMax ? contacts : undefined;
}

function isContact(text: string): boolean {
  // One field is one line: no blanks, and nothing but ASCII, which a URI is made of.
  if (!/^[\x21-\x7e]+$/.test(text) || !URL.canParse(text)) return false;
  const url = new URL(text);
  switch (url.protocol) {
    case "mailto:":
      return isAddress(url.pathname);
    case "https:":
      return url.username === "" && url.password === "" && /^https:\/\//i.test(text);
    case "tel:":
      return /^tel:\+[0-9][0-9.()-]{5,}$/i.test(text);
    default:
      return false;
  }
}

function isAddress(text: string): boolean {
  const [name = "", domain = "", ...rest] = text.split("@");
  return (
    rest.length === 0 && name !== "" && domain.split(".").length > 1 && domain.split(".").every((label) => label !== "")
  );
}
