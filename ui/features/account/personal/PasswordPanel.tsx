import Button from "@mui/material/Button";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { PasswordField } from "../../../components/inputs/LabelledInput.tsx";
import { useCheckedForm } from "../../../components/inputs/use-checked-form.ts";
import { Col, Panel } from "../../../components/layout.tsx";
import { useSession } from "../../../state/session.ts";
import { useEasyToGuess } from "../register/weak-password.ts";
import { security } from "../security/security-calls.ts";
import { changePassword } from "./self-calls.ts";

const EMPTY: PasswordForm = { original: "", password: "", confirm: "" };

/** Changes the user's password. */
export const PasswordPanel = () => {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { user } = useSession();
  const hasPassword = useQuery(security).data?.has_password ?? true;
  const { form, change, faults, isSaving, submit } = useCheckedForm({
    initial: EMPTY,
    check: (form) => checkPasswordForm(form, hasPassword),
    staysOpen: true,
    send: async ({ original, password }) => {
      await changePassword(original, password);
      void queries.invalidateQueries(security);
      notifyDone(t("personal.password.done"));
    },
  });
  const isEasy = useEasyToGuess(form.password, user?.username ?? "");
  const field = (key: keyof PasswordForm) => ({
    name: key,
    value: form[key],
    error: faults[key] && t(`personal.password.errors.${faults[key]}`),
    onChange: (value: string) => change({ [key]: value }),
  });
  return (
    <Panel title={t("personal.password.title")} hint={t("personal.password.hint")}>
      <Col gap={4} sx={{ maxWidth: 400 }}>
        <form onSubmit={submit} noValidate>
          <Col gap={3.5}>
            {hasPassword && (
              <PasswordField
                {...field("original")}
                label={t("personal.password.original")}
                autoComplete="current-password"
              />
            )}
            <PasswordField
              {...field("password")}
              label={t("personal.password.new")}
              hint={t(isEasy ? "register.easyToGuess" : "personal.password.newHint")}
              autoComplete="new-password"
            />
            <PasswordField {...field("confirm")} label={t("personal.password.confirm")} autoComplete="new-password" />
            <Button
              type="submit"
              variant="contained"
              color="primary"
              loading={isSaving}
              sx={{ alignSelf: "flex-start" }}
            >
              {t(hasPassword ? "personal.password.submit" : "personal.password.set")}
            </Button>
          </Col>
        </form>
      </Col>
    </Panel>
  );
};

type PasswordForm = Readonly<{ original: string; password: string; confirm: string }>;
type PasswordErrors = Partial<Record<keyof PasswordForm, "original" | "length" | "same" | "confirm">>;

const MIN_LENGTH = 8;
const MAX_LENGTH = 20;

/** Validation errors by field; empty if the form is valid. */
export function checkPasswordForm({ original, password, confirm }: PasswordForm, hasPassword: boolean): PasswordErrors {
  const errors: PasswordErrors = {};
  if (hasPassword && original === "") errors.original = "original";
  const length = [...password].length;
  if (length < MIN_LENGTH || length > MAX_LENGTH) errors.password = "length";
  else if (password === original) errors.password = "same";
  if (confirm !== password) errors.confirm = "confirm";
  return errors;
}
