import Button from "@mui/material/Button";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useTranslation } from "react-i18next";
import { useConfirm } from "../../components/confirm.tsx";
import { Field, Row } from "../../components/layout.tsx";
import type { SettingField } from "./setting-field.ts";
import { useSettings } from "./settings-store.tsx";

type SecretInputProps = Readonly<{ id: string; label: string; hint: string; field: SettingField }>;

/** A secret: never shown, replaced by what is typed, kept when nothing is; can be removed. */
export const SecretInput = ({ id, label, hint, field }: SecretInputProps) => {
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
