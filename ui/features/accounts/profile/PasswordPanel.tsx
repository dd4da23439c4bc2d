import Button from "@mui/material/Button";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { passwordError } from "../../../../src/domain/accounts/account-rules.ts";
import { changePassword } from "../../../api/accounts/self-calls.ts";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { useCheckedForm } from "../../../components/form/use-checked-form.ts";
import { PasswordField } from "../../../components/inputs/LabelledInput.tsx";
import { Col, Panel } from "../../../components/layout.tsx";
import { useSession } from "../../../state/session.ts";
import { useAccountLimits } from "../../../state/site-status.ts";
import { useEasyToGuess } from "../registration/weak-password.ts";
import { accessTokens } from "../security/access-token-calls.ts";
import { security } from "../security/security-calls.ts";

const EMPTY: PasswordForm = { original: "", password: "", confirm: "" };

/** Changes the user's password. */
export const PasswordPanel = () => {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { user } = useSession();
  const limits = useAccountLimits();
  const hasPassword = useQuery(security).data?.has_password ?? true;
  const { form, change, faults, isSaving, submit } = useCheckedForm({
    initial: EMPTY,
    check: (form) => checkPasswordForm(form, hasPassword, limits.passwordMax),
    staysOpen: true,
    send: async ({ original, password }) => {
      await changePassword(original, password);
      void queries.invalidateQueries(security);
      void queries.invalidateQueries(accessTokens);
      notifyDone(t("profile.password.done"));
    },
  });
  const isEasy = useEasyToGuess(form.password, user?.username ?? "");
  const field = (key: keyof PasswordForm) => ({
    name: key,
    value: form[key],
    error: faults[key] && t(`profile.password.errors.${faults[key]}`, limits),
    onChange: (value: string) => change({ [key]: value }),
  });
  return (
    <Panel title={t("profile.password.title")} hint={t("profile.password.hint")}>
      <Col gap={4} sx={{ maxWidth: 400 }}>
        <form onSubmit={submit} noValidate>
          <Col gap={3.5}>
            {hasPassword && (
              <PasswordField
                {...field("original")}
                label={t("profile.password.original")}
                autoComplete="current-password"
              />
            )}
            <PasswordField
              {...field("password")}
              label={t("profile.password.new")}
              hint={t(isEasy ? "registration.easyToGuess" : "profile.password.newHint", limits)}
              autoComplete="new-password"
            />
            <PasswordField {...field("confirm")} label={t("profile.password.confirm")} autoComplete="new-password" />
            <Button
              type="submit"
              variant="contained"
              color="primary"
              loading={isSaving}
              sx={{ alignSelf: "flex-start" }}
            >
              {t(hasPassword ? "profile.password.submit" : "profile.password.set")}
            </Button>
          </Col>
        </form>
      </Col>
    </Panel>
  );
};

type PasswordForm = Readonly<{ original: string; password: string; confirm: string }>;
/** Validation errors by field: under `profile.password.errors` in the words. */
export const checkPasswordForm = (
  { original, password, confirm }: PasswordForm,
  hasPassword: boolean,
  longest?: number,
) => ({
  original: hasPassword && original === "" ? ("original" as const) : undefined,
  password: passwordError(password, longest) ?? (password === original ? ("same" as const) : undefined),
  confirm: confirm === password ? undefined : ("confirm" as const),
});
