import type { ReactNode } from "react";

/** Line icons of our own, 20 by 20, in the colour of the text. They decorate: the text next to them or a label says the same. */
function icon(content: ReactNode) {
  return function Icon({ className = "size-4" }: { readonly className?: string }) {
    return (
      <svg
        aria-hidden="true"
        className={`shrink-0 ${className}`}
        fill="none"
        stroke="currentColor"
        strokeLinecap="round"
        strokeLinejoin="round"
        strokeWidth="1.6"
        viewBox="0 0 20 20"
      >
        {content}
      </svg>
    );
  };
}

export const PlusIcon = icon(<path d="M10 4v12M4 10h12" />);
export const SearchIcon = icon(<path d="m17 17-4-4M3 8.5a5.5 5.5 0 1 0 11 0 5.5 5.5 0 0 0-11 0z" />);
export const CheckIcon = icon(<path d="m4 10.5 4 4 8-9" />);
export const CrossIcon = icon(<path d="m5 5 10 10M15 5 5 15" />);
export const CopyIcon = icon(<path d="M7 7h9v9H7zM13 4H4v9" />);
export const DownloadIcon = icon(<path d="M10 3v9m-4-3.5 4 4 4-4M4 16.5h12" />);
export const UploadIcon = icon(<path d="M10 13V4M6 7.5l4-4 4 4M4 16.5h12" />);
export const PrinterIcon = icon(
  <path d="M6 8V3h8v5M6 14H4a1 1 0 0 1-1-1V9a1 1 0 0 1 1-1h12a1 1 0 0 1 1 1v4a1 1 0 0 1-1 1h-2M6 12h8v5H6z" />,
);
export const LockIcon = icon(<path d="M5 9h10v8H5zM7 9V6.5a3 3 0 0 1 6 0V9" />);
export const UnlockIcon = icon(<path d="M5 9h10v8H5zM7 9V6.5a3 3 0 0 1 5.8-1" />);
export const KeyIcon = icon(
  <path d="M9.5 10.5 16 4m-2 2 2 2m-4 0 1.5 1.5M3.5 13a3.5 3.5 0 1 0 7 0 3.5 3.5 0 0 0-7 0z" />,
);
export const ChevronIcon = icon(<path d="m6 8 4 4 4-4" />);
/** Opens elsewhere. */
export const LeaveIcon = icon(<path d="M8 5H5v10h10v-3M11 4h5v5m0-5-7.5 7.5" />);
export const BackIcon = icon(<path d="M16 10H4m4.5-4.5L4 10l4.5 4.5" />);
export const AlertIcon = icon(<path d="M10 3 2.5 16.5h15zM10 8.5v3.5m0 2v.2" />);
export const InfoIcon = icon(<path d="M3 10a7 7 0 1 0 14 0 7 7 0 0 0-14 0zm7-1v4.5m0-7v.2" />);
export const UserIcon = icon(<path d="M7 7a3 3 0 1 0 6 0 3 3 0 0 0-6 0zM4 17c.5-3.5 3-5 6-5s5.5 1.5 6 5" />);
export const InboxIcon = icon(<path d="M3 11.5 5 4h10l2 7.500V16H3zm0 0h4l1 2h4l1-2h4" />);
export const TrashIcon = icon(<path d="M4 6h12M8 6V4h4v2m-6.5 0 .7 10.500h7.600L14.5 6M8.5 9v5m3-5v5" />);
export const EyeIcon = icon(
  <path d="M2 10s3-5.5 8-5.5 8 5.5 8 5.5-3 5.5-8 5.500S2 10 2 10zm5.5 0a2.5 2.5 0 1 0 5 0 2.5 2.5 0 0 0-5 0z" />,
);
export const RefreshIcon = icon(<path d="M16 10a6 6 0 1 1-1.8-4.300L16 7.500M16 4v3.500h-3.5" />);
export const SortIcon = icon(<path d="M10 4v12m-3.5-3.500L10 16l3.5-3.5" />);
export const ShieldIcon = icon(
  <path d="m10 2.5 6.5 2.500v4.500c0 4-2.7 6.8-6.5 8-3.8-1.2-6.5-4-6.5-8V5zM7 10l2.2 2.200L13 8.3" />,
);

/** The mark of the product: a sealed envelope. */
export function Mark({ className = "size-8" }: { readonly className?: string }) {
  return (
    <svg aria-hidden="true" className={`shrink-0 ${className}`} viewBox="0 0 32 32">
      <rect fill="#0b6e4f" height="32" rx="8" width="32" />
      <path d="M6 10a2 2 0 0 1 2-2h16a2 2 0 0 1 2 2v12a2 2 0 0 1-2 2H8a2 2 0 0 1-2-2z" fill="#fff" />
      <path d="m6.5 10.5 9.5 7.5 9.5-7.5" fill="none" stroke="#0b6e4f" strokeLinejoin="round" strokeWidth="2" />
    </svg>
  );
}
