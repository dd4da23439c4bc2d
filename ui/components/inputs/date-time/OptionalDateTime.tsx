import { Col } from "../../layout.tsx";
import { SwitchRow } from "../SwitchRow.tsx";
import { DateTimeInput, type DateTimeInputProps } from "./DateTimeInput.tsx";

type OptionalDateTimeProps = Omit<DateTimeInputProps, "value" | "onChange"> &
  Readonly<{
    /** What it means that there is no time: "Never expires". */
    none: string;
    /** Epoch seconds; null: none; undefined: one is due, and not valid yet. */
    value: number | null | undefined;
    onChange: (seconds: number | null | undefined) => void;
    isDisabled?: boolean;
  }>;

/** A time that may be left out, by a switch alone: an empty or incomplete date never means "none". */
export const OptionalDateTime = ({ none, value, onChange, isDisabled = false, ...field }: OptionalDateTimeProps) => (
  <Col gap={1.5}>
    <SwitchRow
      label={none}
      isOn={value === null}
      isDisabled={isDisabled}
      onChange={(isNone) => onChange(isNone ? null : undefined)}
    />
    {value !== null && (
      <DateTimeInput {...field} value={value ?? null} onChange={(seconds) => onChange(seconds ?? undefined)} />
    )}
  </Col>
);
