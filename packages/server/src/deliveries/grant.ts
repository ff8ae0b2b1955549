/** How many due deliveries of a host may be claimed. */
export interface Grant {
  readonly host: string;
  readonly room: number;
  /** Only first attempts. */
  readonly onlyFirst: boolean;
  /** On a cluster, the forms to claim from, longest waiting first. */
  readonly forms?: readonly DueForm[];
}

/** How many deliveries of a form are due for a host. */
export interface DueForm {
  readonly formId: string;
  readonly due: number;
}
