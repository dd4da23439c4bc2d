import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import InputAdornment from "@mui/material/InputAdornment";
import MenuItem from "@mui/material/MenuItem";
import OutlinedInput from "@mui/material/OutlinedInput";
import Select from "@mui/material/Select";
import Switch from "@mui/material/Switch";
import type { KeyboardEvent } from "react";
import { useTranslation } from "react-i18next";
import { useConfirm } from "../../../components/feedback/confirm.tsx";
import { useLeft } from "../../../components/inputs/JsonField.tsx";
import { formatJson } from "../../../components/inputs/json-text.ts";
import { MoneyInput } from "../../../components/inputs/MoneyInput.tsx";
import { Field, Row } from "../../../components/layout.tsx";
import { fontMono } from "../../../theme/tokens.ts";
import { type SettingField, wordOf } from "../setting-field.ts";
import { domainsOf, faultOf, shortDefault, stepped } from "../setting-text.ts";
import { useSettingHint, useSettings } from "../settings-store.tsx";
import { ColorField } from "./ColorField.tsx";
import { ContentField } from "./ContentField.tsx";
import { DomainField } from "./DomainField.tsx";
import { DefaultTools, JsonInput } from "./JsonInput.tsx";
import { LogoField } from "./LogoField.tsx";

/** The element id of an option's control. */
export const controlId = (key: string): string => `setting-${key}`;

/** The field of one option: label, control, what it does and its default. */
export const SettingInput = ({ field }: { field: SettingField }) => {
  const { t } = useTranslation();
  const store = useSettings();
  const { isLeft, leave } = useLeft();
  const { key } = field;
  const id = controlId(key);
  const label = t(`settings.fields.${wordOf(key)}.label`);
  const initial = store.defaults[key] ?? "";
  const isDefaultLong = typeof shortDefault(field, initial) === "number";
  const value = store.textOf(key);
  const fault = isLeft ? faultOf(field, value) : null;
  const hint = useSettingHint()(field);
  const error = fault && t(`settings.errors.${fault}`, rangeOf(field));
  const onChange = (text: string) => store.change(key, text);
  const wide = { gridColumn: "1 / -1" };
  const step = (event: KeyboardEvent) => {
    const direction = event.key === "ArrowUp" ? 1 : event.key === "ArrowDown" ? -1 : null;
    const next = direction && stepped(field, value, direction);
    if (next === null) return;
    event.preventDefault();
    onChange(next);
  };
  const tools = initial !== "" && (
    <DefaultTools
      label={label}
      initial={field.kind === "domains" ? domainsOf(initial).join("\n") : initial}
      isLong={isDefaultLong}
      isInUse={initial === value}
      onUse={() => onChange(initial)}
    />
  );

  switch (field.kind) {
    case "switch":
      return <SwitchField id={id} label={label} hint={hint} field={field} isOn={value === "true"} />;
    case "quota":
      return (
        <Field label={label} htmlFor={id} hint={hint} error={error}>
          <Box onBlur={leave} onKeyDown={step}>
            <MoneyInput id={id} value={value} onChange={onChange} hasError={fault !== null} />
          </Box>
        </Field>
      );
    case "secret":
      return <SecretInput id={id} label={label} hint={hint} field={field} />;
    case "json":
      return (
        <JsonInput
          id={id}
          label={label}
          hint={hint}
          shape={field.shape}
          value={value === store.values[key] ? formatJson(value) : value}
          onChange={onChange}
          initial={initial}
          isDefaultLong={isDefaultLong}
        />
      );
    case "domains":
      return (
        <DomainField id={id} label={label} hint={hint} value={value} onChange={onChange}>
          {tools}
        </DomainField>
      );
    case "content":
      return <ContentField id={id} label={label} hint={hint} value={value} onChange={onChange} />;
    case "logo":
      return <LogoField id={id} label={label} hint={hint} value={value} onChange={onChange} />;
    case "color":
      return <ColorField {...{ id, label, hint, error, value, onChange }} onBlur={leave} />;
    case "choice":
      return (
        <Field label={label} htmlFor={id} hint={hint}>
          <Select
            fullWidth
            value={value}
            SelectDisplayProps={{ id, "aria-label": label }}
            onChange={(event) => onChange(event.target.value)}
          >
            {field.choices.map((choice) => (
              <MenuItem key={choice} value={choice}>
                {t(`settings.choices.${choice}`, { defaultValue: choice.toUpperCase() })}
              </MenuItem>
            ))}
          </Select>
        </Field>
      );
    case "code":
    case "lines":
      return (
        <Field label={label} htmlFor={id} hint={hint} sx={wide}>
          <OutlinedInput
            id={id}
            fullWidth
            multiline
            minRows={4}
            maxRows={14}
            value={value}
            onChange={(event) => onChange(event.target.value)}
            {...(field.kind === "code" && {
              inputProps: { spellCheck: false },
              sx: { fontFamily: fontMono, fontSize: 12.5 },
            })}
          />
          {tools}
        </Field>
      );
    default: {
      const isNumber = field.kind === "number";
      const unit = isNumber && field.unit;
      return (
        <Field label={label} htmlFor={id} hint={hint} error={error}>
          <OutlinedInput
            id={id}
            fullWidth
            value={value}
            error={fault !== null}
            disabled={
              key === "general_setting.ping_interval_seconds" &&
              store.textOf("general_setting.ping_interval_enabled") !== "true"
            }
            onChange={(event) => onChange(event.target.value)}
            onBlur={leave}
            onKeyDown={step}
            inputProps={isNumber ? { inputMode: "decimal", className: "num" } : { spellCheck: false }}
            endAdornment={
              unit && (
                <InputAdornment position="end">
                  <Box component="span" sx={{ fontSize: 12.5, color: "text.tertiary" }}>
                    {t(`settings.units.${unit}`)}
                  </Box>
                </InputAdornment>
              )
            }
          />
        </Field>
      );
    }
  }
};

function rangeOf(field: SettingField): { min: number; max: string; decimals: number } {
  if (field.kind !== "number") return { min: 0, max: "", decimals: 0 };
  const { min = 0, max, decimals = 0 } = field;
  return { min, max: max === undefined ? "" : String(max), decimals };
}

type SwitchFieldProps = Readonly<{ id: string; label: string; hint: string; field: SettingField; isOn: boolean }>;

const SwitchField = ({ id, label, hint, field, isOn }: SwitchFieldProps) => {
  const { t } = useTranslation();
  const { change } = useSettings();
  const confirm = useConfirm();
  const toggle = async (next: boolean) => {
    if (field.key === "PasswordLoginEnabled" && !next) {
      const isSure = await confirm({
        title: t("settings.passwordLogin.title"),
        body: t("settings.passwordLogin.body"),
        action: t("settings.passwordLogin.action"),
        isDangerous: true,
      });
      if (!isSure) return;
    }
    change(field.key, String(next));
  };
  return (
    <Row gap={3} sx={{ alignItems: "flex-start" }}>
      <Switch
        checked={isOn}
        onChange={(event) => void toggle(event.target.checked)}
        slotProps={{ input: { id, "aria-describedby": `${id}-hint` } }}
        sx={{ mt: "2px" }}
      />
      <Box sx={{ minWidth: 0 }}>
        <label htmlFor={id} style={{ fontSize: 13 }}>
          {label}
        </label>
        <Box id={`${id}-hint`} sx={{ fontSize: 12, lineHeight: "16px", color: "text.tertiary", mt: 0.5 }}>
          {hint}
        </Box>
      </Box>
    </Row>
  );
};

type SecretInputProps = Readonly<{ id: string; label: string; hint: string; field: SettingField }>;

/** A secret: never shown; typing replaces it, an empty field keeps it, and it can be removed. */
const SecretInput = ({ id, label, hint, field }: SecretInputProps) => {
  const { t } = useTranslation();
  const store = useSettings();
  const confirm = useConfirm();
  const isSet = store.secretsSet.has(field.key);
  const remove = async () => {
    const question = {
      title: t("settings.secret.removeTitle", { name: label }),
      body: t("settings.secret.removeBody"),
      action: t("settings.secret.remove"),
      isDangerous: true,
    };
    if (await confirm(question)) await store.saveChanges([{ key: field.key, value: "" }]);
  };
  return (
    <Field label={label} htmlFor={id} hint={hint} optional={t(isSet ? "settings.secret.set" : "settings.secret.unset")}>
      <Row gap={1}>
        <OutlinedInput
          id={id}
          fullWidth
          type="password"
          autoComplete="off"
          value={store.textOf(field.key)}
          placeholder={isSet ? "••••••••••••" : ""}
          onChange={(event) => store.change(field.key, event.target.value)}
          inputProps={{ "data-1p-ignore": true, spellCheck: false }}
        />
        {isSet && (
          <Button variant="text" size="small" sx={{ flex: "none" }} onClick={() => void remove()}>
            {t("settings.secret.remove")}
          </Button>
        )}
      </Row>
    </Field>
  );
};
