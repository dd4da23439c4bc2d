import Box from "@mui/material/Box";
import Link from "@mui/material/Link";
import MenuItem from "@mui/material/MenuItem";
import OutlinedInput from "@mui/material/OutlinedInput";
import Select from "@mui/material/Select";
import Slider from "@mui/material/Slider";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Col, Field } from "../../../components/layout.tsx";
import { formatNumber } from "../../../lib/format/number.ts";
import {
  choicesOf,
  type LaneModel,
  PARAMETERS,
  type ParameterName,
  type Parameters,
  parametersOf,
  parameterValue,
} from "../chat/parameters.ts";

/** Shown at once; the others are folded. */
const USUAL: ReadonlySet<ParameterName> = new Set(["temperature", "max_tokens", "reasoning_effort"]);

type Props = Readonly<{
  parameters: Parameters;
  models: readonly LaneModel[];
  onChange: (parameters: Parameters) => void;
}>;

/** The parameters that the chosen models have. What is not set is not sent, so that the models' own defaults apply. */
export const ParameterFields = ({ parameters, models, onChange }: Props) => {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const names = parametersOf(models);
  const shown = names.filter((name) => isOpen || USUAL.has(name) || parameters[name] !== undefined);
  const set = (name: ParameterName, value: number | string | undefined) => {
    const { [name]: _, ...others } = parameters;
    onChange(value === undefined ? others : { ...others, [name]: value });
  };
  return (
    <Col gap={4}>
      {shown.map((name) => (
        <ParameterField
          key={name}
          name={name}
          value={parameters[name]}
          models={models}
          onChange={(value) => set(name, value)}
        />
      ))}
      <Box>
        <Link
          component="button"
          type="button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          sx={{ fontSize: 12.5 }}
        >
          {isOpen ? t("playground.fewerParameters") : t("playground.moreParameters")}
        </Link>
      </Box>
    </Col>
  );
};

type FieldProps = Readonly<{
  name: ParameterName;
  value: number | string | undefined;
  models: readonly LaneModel[];
  onChange: (value: number | string | undefined) => void;
}>;

const ParameterField = ({ name, value, models, onChange }: FieldProps) => {
  const { t } = useTranslation();
  const { kind } = PARAMETERS[name];
  const id = `playground-${name}`;
  const label = t(`playground.parameters.${name}`);
  if (name === "temperature") return <TemperatureField label={label} value={value} onChange={onChange} />;
  if (kind === "choice")
    return (
      <Field label={label}>
        <Select
          fullWidth
          displayEmpty
          value={value ?? ""}
          onChange={(event) => onChange(event.target.value === "" ? undefined : String(event.target.value))}
          SelectDisplayProps={{ "aria-label": label }}
        >
          <MenuItem value="">{t("playground.modelDefault")}</MenuItem>
          {[...new Set(models.flatMap((model) => choicesOf(name, model)))].map((choice) => (
            <MenuItem key={choice} value={choice}>
              {choice}
            </MenuItem>
          ))}
        </Select>
      </Field>
    );
  const limit = name === "max_tokens" ? Math.max(0, ...models.map(({ output_limit }) => output_limit ?? 0)) : 0;
  return (
    <Field
      label={label}
      htmlFor={id}
      hint={
        name === "stop" ? t("playground.stopHint") : limit > 0 && t("playground.upTo", { tokens: formatNumber(limit) })
      }
    >
      <TextValue id={id} name={name} value={value} onChange={onChange} />
    </Field>
  );
};

type TextValueProps = Omit<FieldProps, "models"> & Readonly<{ id: string }>;

/** Keeps what is typed until the field is left: "0." is on the way to a number. */
const TextValue = ({ id, name, value, onChange }: TextValueProps) => {
  const { t } = useTranslation();
  const [draft, setDraft] = useState<string | null>(null);
  const isLines = PARAMETERS[name].kind === "lines";
  return (
    <OutlinedInput
      id={id}
      fullWidth
      multiline={isLines}
      value={draft ?? value ?? ""}
      placeholder={t("playground.modelDefault")}
      inputProps={isLines ? {} : { inputMode: "decimal" }}
      onChange={(event) => {
        setDraft(event.target.value);
        onChange(parameterValue(name, event.target.value));
      }}
      onBlur={() => setDraft(null)}
    />
  );
};

const UNSET_POSITION = 1;

type TemperatureProps = Readonly<{ label: string }> & Pick<FieldProps, "value" | "onChange">;

const TemperatureField = ({ label, value, onChange }: TemperatureProps) => {
  const { t } = useTranslation();
  const { min, max, step } = PARAMETERS.temperature;
  const isSet = typeof value === "number";
  const text = isSet ? formatNumber(value) : t("playground.modelDefault");
  return (
    <Field
      label={label}
      optional={
        isSet ? (
          <>
            <span className="num">{text}</span>{" "}
            <Link component="button" type="button" onClick={() => onChange(undefined)} sx={{ fontSize: 12 }}>
              {t("playground.useDefault")}
            </Link>
          </>
        ) : (
          text
        )
      }
    >
      <Box sx={{ px: 1.5, opacity: isSet ? 1 : 0.5 }}>
        <Slider
          value={isSet ? value : UNSET_POSITION}
          min={min}
          max={max}
          step={step}
          onChange={(_, next) => onChange(Number(next))}
          aria-label={label}
          getAriaValueText={() => text}
        />
      </Box>
    </Field>
  );
};
