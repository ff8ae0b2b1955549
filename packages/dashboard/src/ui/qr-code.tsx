import { encode } from "uqr";

/** Dark on white in both themes: cameras expect it. As elements, because the page's policy takes no made-up markup. */
export function QrCode({
  content,
  label,
  className = "size-52",
}: {
  readonly content: string;
  readonly label: string;
  readonly className?: string;
}) {
  const { data, size } = encode(content, { ecc: "M", border: 3 });
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ""))).join("");
  return (
    <svg
      aria-label={label}
      className={`rounded-lg border border-line bg-white ${className}`}
      role="img"
      shapeRendering="crispEdges"
      viewBox={`0 0 ${size} ${size}`}
    >
      <path d={path} fill="#000" />
    </svg>
  );
}
