import { createPublicFormRoutes } from "../../forms/public-form-routes.ts";
import { createStatisticsRoutes } from "../../statistics/statistics-routes.ts";
import { createStatisticsStore } from "../../statistics/statistics-store.ts";
import { createBinRoutes } from "../../submissions/bin-routes.ts";
import { createPublicSubmissionRoutes } from "../../submissions/public-submission-routes.ts";
import { createSubmissionDeletionRoutes } from "../../submissions/submission-deletion-routes.ts";
import { createSubmissionDeletionStore } from "../../submissions/submission-deletion-store.ts";
import { createSubmissionExportRoutes } from "../../submissions/submission-export-routes.ts";
import { createSubmissionRoutes } from "../../submissions/submission-routes.ts";
import type { Capability } from "../capability.ts";
import type { Core } from "../core.ts";

/** Submissions from the visitor's browser to their deletion, and how many there are. */
export function openSubmissionRoutes(core: Core): Capability {
  const { database, purge } = core;
  const dependencies = {
    ...core,
    deletions: createSubmissionDeletionStore(database),
    statistics: createStatisticsStore(database),
  };
  return {
    routes: [
      createStatisticsRoutes(dependencies),
      createPublicFormRoutes(dependencies),
      createSubmissionRoutes(dependencies),
      createSubmissionDeletionRoutes(dependencies),
      createBinRoutes(dependencies),
      createSubmissionExportRoutes(dependencies),
      createPublicSubmissionRoutes(dependencies),
    ],
    worker: purge,
  };
}
