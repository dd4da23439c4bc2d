import Button from "@mui/material/Button";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { Col, Panel } from "../../components/layout.tsx";
import { notifyDone, notifyError } from "../../components/notify.tsx";
import { PasswordField } from "../login/PasswordField.tsx";
import { useEasyToGuess } from "../register/use-easy-to-guess.ts";
import { security } from "../security/security-calls.ts";
import { useSession } from "../session/session.tsx";
import { checkPasswordForm, type PasswordErrors, type PasswordForm } from "./password-form.ts";
import { changePassword } from "./self-calls.ts";

const EMPTY: PasswordForm = { original: "", password: "", confirm: "" };

/** Changes one's password. */
export const PasswordPanel = () => {
  const { t } = useTranslation();
  const [form, setForm] = useState(EMPTY);
  const [errors, setErrors] = useState<PasswordErrors>({});
  const queries = useQueryClient();
  const { user } = useSession();
  const isEasy = useEasyToGuess(form.password, user?.username ?? "");
  const hasPassword = useQuery(security).data?.has_password ?? true;
  const change = useMutation({
    mutationFn: () => changePassword(form.original, form.password),
    onSuccess: () => {
      void queries.invalidateQueries(security);
      setForm(EMPTY);
      notifyDone(t("personal.password.done"));
    },
    onError: notifyError,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = checkPasswordForm(form, hasPassword);
    setErrors(found);
    if (Object.keys(found).length === 0) change.mutate();
  };
  const field = (key: keyof PasswordForm) => ({
    name: key,
    value: form[key],
    error: errors[key] && t(`personal.password.errors.${errors[key]}`),
    onChange: (value: string) => {
      setForm({ ...form, [key]: value });
      setErrors({ ...errors, [key]: undefined });
    },
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
              loading={change.isPending}
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
