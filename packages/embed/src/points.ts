import { littleEndian } from "@sealpost/wire";

// Points of edwards25519 in extended coordinates (RFC 8032, section 5.1.4), as far as verifying needs them. Everything here is public: nothing has to take
// the same time for each value.

/** X, Y, Z and T: the point is X/Z, Y/Z, and T is X·Y/Z. */
type Point = readonly [bigint, bigint, bigint, bigint];

const prime = 2n ** 255n - 19n;
const half = prime >> 1n;
/** The curve's d, -121665/121666. */
const d = multiply(-121665n, invert(121666n));
const root = power(2n, half >> 1n); // of -1
const base = decode(4n * invert(5n)) as Point; // on the curve, by its definition
const neutral: Point = [0n, 1n, 1n, 0n];

/** `scalar`·B − `other`·`point` as the 32 bytes that a signature begins with; `undefined` where these bytes are no point of the curve. */
export function combine(scalar: bigint, other: bigint, point: Uint8Array): Uint8Array | undefined {
  const encoded = littleEndian(point);
  const found = decode(encoded & (2n ** 255n - 1n), encoded >> 255n);
  if (!found) return undefined;
  const [x, y, , t] = found;
  const negative: Point = [-x, y, 1n, -t];
  const both = add(base, negative);
  let sum = neutral;
  for (let bit = 252n; bit >= 0n; bit--) {
    sum = add(sum, sum);
    const [one, two] = [(scalar >> bit) & 1n, (other >> bit) & 1n];
    if (one | two) sum = add(sum, one & two ? both : one ? base : negative);
  }
  return encode(sum);
}

/** The addition of RFC 8032, which is right for all pairs of points, equal ones included. */
function add([x, y, z, t]: Point, [u, v, w, s]: Point): Point {
  const a = multiply(y - x, v - u);
  const b = multiply(y + x, v + u);
  const c = multiply(2n * t, multiply(d, s));
  const e = multiply(2n * z, w);
  return [multiply(b - a, e - c), multiply(e + c, b + a), multiply(e - c, e + c), multiply(b - a, b + a)];
}

/** The point with this y, and the x that is odd or even as `sign` says. */
function decode(y: bigint, sign = 0n): Point | undefined {
  const square = multiply(y * y - 1n, invert(d * y * y + 1n));
  let x = power(square, (prime + 3n) >> 3n);
  if (multiply(x, x) !== square) x = multiply(x, root);
  if (y >= prime || multiply(x, x) !== square || (x === 0n && sign)) return undefined;
  if ((x & 1n) !== sign) x = prime - x;
  return [x, y, 1n, multiply(x, y)];
}

function encode([x, y, z]: Point): Uint8Array {
  const inverse = invert(z);
  let rest = multiply(y, inverse) | ((multiply(x, inverse) & 1n) << 255n);
  return new Uint8Array(32).map(() => {
    const byte = Number(rest & 255n);
    rest >>= 8n;
    return byte;
  });
}

function multiply(one: bigint, other: bigint): bigint {
  const product = (one * other) % prime;
  return product < 0n ? product + prime : product;
}

function invert(value: bigint): bigint {
  return power(multiply(value, 1n), prime - 2n);
}

function power(value: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let factor = value, rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = multiply(result, factor);
    factor = multiply(factor, factor);
  }
  return result;
}
