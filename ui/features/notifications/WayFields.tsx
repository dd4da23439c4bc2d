import Button from "@mui/material/Button";
import { useTranslation } from "react-i18next";
import { Col } from "../../components/layout.tsx";
import { LabelledInput } from "../login/LabelledInput.tsx";
import type { UserSetting } from "../personal/user-setting.ts";
import { FIELDS, type FieldName, isStored, type NotifyForm } from "./notify-form.ts";

type Props = {
  form: NotifyForm;
  setting: UserSetting;
  missing: readonly FieldName[];
  onValue: (name: FieldName, value: string) => void;
  onRemove: (name: FieldName) => void;
};

/** What the chosen way asks for; secrets are replaced or removed, never shown. */
export const WayFields = ({ form, setting, missing, onValue, onRemove }: Props) => {
  const { t } = useTranslation();
  return (
    <Col gap={3.5}>
      {FIELDS[form.way].map(({ name, isSecret, isOptional }) => {
        const isKept = isSecret === true && isStored(setting, form, name);
        return (
          <LabelledInput
            key={name}
            name={name}
            label={t(`notifications.fields.${name}.label`)}
            hint={t(`notifications.fields.${name}.hint`)}
            optional={isOptional ? t("notifications.optional") : undefined}
            error={missing.includes(name) ? t("notifications.missing") : undefined}
            {...(isSecret && { type: "password", autoComplete: "off" })}
            {...(isKept && { placeholder: t("notifications.stored") })}
            value={form.values[name] ?? ""}
            onChange={(value) => onValue(name, value)}
            endAdornment={
              isKept &&
              isOptional && (
                <Button size="small" onClick={() => onRemove(name)} sx={{ flex: "none", mr: -1.5 }}>
                  {t("notifications.remove")}
                </Button>
              )
            }
          />
        );
      })}
    </Col>
  );
};
