/** Paths of calls that serve the console alone and may change with any release. All others stay as they are within a major version. */
const UNSTABLE: readonly string[] = [
  "/api/books",
  "/api/decisions",
  "/api/doctor",
  "/api/first_steps",
  "/api/jobs",
  "/api/journal",
  "/api/live",
  "/api/playground",
  "/api/system",
  "/pg/",
];

/** Whether a call may change with any release. */
export const isUnstable = (path: string): boolean => UNSTABLE.some((prefix) => path.startsWith(prefix));
