import { spaceShares } from "../client-address.ts";

const hex = (number: number) => number.toString(16);

/** Addresses of one network, each of another narrower one, and how many times as much room as an address all may have together. */
export const wideNetworks = [
  { name: "IPv4 /24", of: (number: number) => `203.0.113.${number % 256}`, share: spaceShares.organization },
  { name: "IPv6 /56", of: (number: number) => `2001:db8:1:${hex(number % 256)}::1`, share: spaceShares.site },
  {
    name: "IPv6 /48",
    of: (number: number) => `2001:db8:1:${hex((number * 257) % 65_536)}::1`,
    share: spaceShares.organization,
  },
  {
    name: "IPv6 /32",
    of: (number: number) => `2001:db8:${hex(number % 65_536)}:${hex(number % 7)}::1`,
    share: spaceShares.provider,
  },
] as const;

/** An address that is in none of them. */
export const elsewhere = "198.51.100.7";
