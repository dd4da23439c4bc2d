import Skeleton from "@mui/material/Skeleton";
import { lazy, Suspense } from "react";

/** The picker is larger than most pages, so it is loaded where a field is shown. */
const DateTimePickerField = lazy(() => import("./DateTimePickerField.tsx"));

export type DateTimeInputProps = Readonly<{
  /** Names the field for screen readers. */
  label: string;
  /** Epoch seconds; null: empty. */
  value: number | null;
  /** Null: empty; undefined: not a valid date. */
  onChange: (seconds: number | null | undefined) => void;
  hasError?: boolean;
}>;

/** A local date and time to the minute, typed or chosen. */
export const DateTimeInput = (props: DateTimeInputProps) => (
  <Suspense fallback={<Skeleton variant="rounded" height={32} sx={{ width: "100%" }} />}>
    <DateTimePickerField {...props} />
  </Suspense>
);
