/** A writer makes no larger file of heads, and a service passes none on: a reader takes more (SPECIFICATION.md section 21). */
export const writtenHeadsBytesMax = 1024 * 1024;
