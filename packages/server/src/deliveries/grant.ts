/** How many due deliveries of a destination may be claimed. */
export interface Grant {
  readonly destination: string;
  readonly room: number;
  /** Only first attempts. */
  readonly onlyFirst: boolean;
  /** On a cluster, the forms to claim from, longest waiting first. */
  readonly forms?: readonly DueForm[];
}

/** How many deliveries of a form are due for a destination. */
export interface DueForm {
  readonly formId: string;
  readonly due: number;
}
