import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import OutlinedInput from "@mui/material/OutlinedInput";
import Radio from "@mui/material/Radio";
import RadioGroup from "@mui/material/RadioGroup";
import Skeleton from "@mui/material/Skeleton";
import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { ACCOUNT_LIMITS } from "../../../../src/domain/accounts/account-rules.ts";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { ViewDialog } from "../../../components/feedback/FormDialog.tsx";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { useCheckedForm } from "../../../components/form/use-checked-form.ts";
import { PasswordInput } from "../../../components/inputs/LabelledInput.tsx";
import { Col, Field, Row } from "../../../components/layout.tsx";
import { siteOrigin, sitePath } from "../../../lib/base-path.ts";
import { isOneOf } from "../../../lib/json.ts";
import { useSession } from "../../../state/session.ts";
import { EntryCard } from "../sign-in/EntryCard.tsx";
import {
  checkSetupForm,
  finishSetup,
  type SetupForm,
  setupBody,
  setupStatus,
  type UsageMode,
} from "./register-form.ts";
import { useEasyToGuess } from "./weak-password.ts";

const MODES: readonly UsageMode[] = ["external", "self", "demo"];
const isMode = isOneOf(MODES);

/** Chooses who uses the gateway: three cards, and a dialog that explains them. */
export const ModeChoice = ({ value, onChange }: { value: UsageMode; onChange: (mode: UsageMode) => void }) => {
  const { t } = useTranslation();
  const id = useId();
  const [isExplaining, setExplaining] = useState(false);
  return (
    <Box>
      <Row sx={{ mb: 1 }}>
        <Box id={id} sx={{ flex: 1, fontSize: 12.5, lineHeight: "18px", fontWeight: 550 }}>
          {t("setup.mode")}
        </Box>
        <Button variant="text" size="small" onClick={() => setExplaining(true)} aria-haspopup="dialog">
          {t("setup.modeHint")}
        </Button>
      </Row>
      <RadioGroup
        aria-labelledby={id}
        value={value}
        onChange={(_, mode) => isMode(mode) && onChange(mode)}
        sx={{ display: "grid", gap: 2, gridTemplateColumns: { xs: "1fr", sm: "repeat(3, minmax(0, 1fr))" } }}
      >
        {MODES.map((mode) => (
          <Row
            key={mode}
            gap={1}
            sx={{
              px: 2,
              height: 44,
              position: "relative",
              border: "1px solid",
              borderColor: mode === value ? "primary.main" : "line.strong",
              borderRadius: "8px",
              bgcolor: mode === value ? "surface.selected" : "surface.paper",
            }}
          >
            <Radio value={mode} id={`${id}${mode}`} size="small" sx={{ p: 1 }} />
            <Box
              component="label"
              htmlFor={`${id}${mode}`}
              sx={{
                fontSize: 13,
                fontWeight: 520,
                cursor: "pointer",
                "&::after": { content: '""', position: "absolute", inset: 0 },
              }}
            >
              {t(`setup.modes.${mode}.name`)}
            </Box>
          </Row>
        ))}
      </RadioGroup>
      <Box aria-live="polite" sx={{ mt: 1.5, fontSize: 12, lineHeight: "16px", color: "text.tertiary" }}>
        {t(`setup.modes.${value}.text`)}
      </Box>
      {isExplaining && <ModeDialog onClose={() => setExplaining(false)} />}
    </Box>
  );
};

const ModeDialog = ({ onClose }: { onClose: () => void }) => {
  const { t } = useTranslation();
  return (
    <ViewDialog
      title={t("setup.explainTitle")}
      width="xs"
      onClose={onClose}
      actions={
        <Button autoFocus onClick={onClose}>
          {t("components.close")}
        </Button>
      }
    >
      <Box sx={{ fontSize: 13, color: "text.secondary", mb: 4 }}>{t("setup.explainBody")}</Box>
      <Col gap={3}>
        {MODES.map((mode) => (
          <Box key={mode} sx={{ fontSize: 13 }}>
            <Box sx={{ fontWeight: 600 }}>{t(`setup.modes.${mode}.name`)}</Box>
            <Box sx={{ color: "text.secondary" }}>{t(`setup.modes.${mode}.text`)}</Box>
          </Box>
        ))}
      </Col>
    </ViewDialog>
  );
};

const CARD_WIDTH = 560;
const FORM_HEIGHT = 460;

/** First start: creates the administrator's account and chooses how the gateway is used. */
export function SetupPage() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(setupStatus);
  return (
    <EntryCard title={t("setup.title")} purpose={t("setup.purpose")} maxWidth={CARD_WIDTH}>
      {data ? (
        <SetupPanel hasRoot={data.root_init} isEmbedded={data.database_type === "embedded"} />
      ) : error ? (
        <ErrorState title={t("setup.errors.load")} error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton variant="rounded" height={FORM_HEIGHT} />
      )}
    </EntryCard>
  );
}

const RELOAD_AFTER_MS = 1500;
/** The browser knows under which address it reached the site. */
const emptyForm = (): SetupForm => ({
  username: "",
  password: "",
  confirm: "",
  address: siteOrigin(),
  mode: "external",
});

type Props = { hasRoot: boolean; isEmbedded: boolean };

/** Asks for the initial setup, signs the administrator in, and reloads the console. */
const SetupPanel = ({ hasRoot, isEmbedded }: Props) => {
  const { t } = useTranslation();
  const id = useId();
  const { signIn } = useSession();
  const { form, change, faults, problem, isSaving, submit } = useCheckedForm({
    initial: emptyForm(),
    ...(!hasRoot && { check: checkSetupForm }),
    rejection: "inline",
    send: async (form) => {
      await finishSetup(setupBody(form, hasRoot));
      // The account that was just made needs no second factor and no Turnstile check.
      const user = hasRoot ? null : await signIn(form.username.trim(), form.password, "").catch(() => null);
      notifyDone(t("setup.done"));
      setTimeout(() => window.location.assign(sitePath(user ? "/start" : "/")), RELOAD_AFTER_MS);
    },
  });
  const isEasy = useEasyToGuess(form.password, form.username);
  const errorOf = (key: "username" | "password" | "confirm") =>
    faults[key] && t(`setup.errors.${faults[key]}`, ACCOUNT_LIMITS);
  return (
    <form onSubmit={submit} noValidate>
      <Col gap={4}>
        {hasRoot ? (
          <Alert severity="info">{t("setup.accountExists")}</Alert>
        ) : (
          <>
            <Field
              label={t("setup.username")}
              htmlFor={`${id}name`}
              hint={t("setup.usernameHint")}
              error={errorOf("username")}
            >
              <OutlinedInput
                id={`${id}name`}
                name="username"
                fullWidth
                required
                autoFocus
                autoComplete="username"
                inputProps={{ autoCapitalize: "none", spellCheck: false }}
                error={faults.username !== undefined}
                value={form.username}
                onChange={(event) => change({ username: event.target.value })}
              />
            </Field>
            <Row gap={4} wrap sx={{ alignItems: "flex-start", "& > *": { minWidth: "200px" } }}>
              <Field
                label={t("setup.password")}
                htmlFor={`${id}password`}
                hint={t(isEasy ? "registration.easyToGuess" : "setup.passwordHint")}
                error={errorOf("password")}
              >
                <PasswordInput
                  id={`${id}password`}
                  name="password"
                  autoComplete="new-password"
                  hasError={faults.password !== undefined}
                  value={form.password}
                  onChange={(password) => change({ password })}
                />
              </Field>
              <Field label={t("setup.confirm")} htmlFor={`${id}confirm`} error={errorOf("confirm")}>
                <PasswordInput
                  id={`${id}confirm`}
                  name="confirm"
                  autoComplete="new-password"
                  hasError={faults.confirm !== undefined}
                  value={form.confirm}
                  onChange={(confirm) => change({ confirm })}
                />
              </Field>
            </Row>
          </>
        )}
        <Field label={t("setup.address")} htmlFor={`${id}address`} hint={t("setup.addressHint")}>
          <OutlinedInput
            id={`${id}address`}
            name="address"
            type="url"
            fullWidth
            autoComplete="off"
            inputProps={{ autoCapitalize: "none", spellCheck: false }}
            value={form.address}
            onChange={(event) => change({ address: event.target.value })}
          />
        </Field>
        <ModeChoice value={form.mode} onChange={(mode) => change({ mode })} />
        {isEmbedded && <Alert severity="warning">{t("setup.embedded")}</Alert>}
        {problem && (
          <Alert severity="error" role="alert">
            {t("setup.errors.submit")} {problem}
          </Alert>
        )}
        <Button type="submit" variant="contained" color="primary" loading={isSaving} sx={{ height: 36 }}>
          {t("setup.submit")}
        </Button>
      </Col>
    </form>
  );
};
