import { ErrorState } from "../../components/ErrorState.tsx";

/** Instead of a page that broke; loading anew also fetches the pages of a newer version of the gateway. */
export const PageError = ({ error }: { error: unknown }) => (
  <ErrorState error={error} onRetry={() => window.location.reload()} />
);
