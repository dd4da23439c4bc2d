import Button from "@mui/material/Button";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { UserView } from "../../../../src/domain/accounts/users/user-view.ts";
import { bindEmail, self, unbind } from "../../../api/accounts/self-calls.ts";
import { notifyDone, notifyError } from "../../../components/feedback/notify.tsx";
import { useAction } from "../../../components/feedback/use-action.ts";
import { Panel, Row } from "../../../components/layout.tsx";
import { Entry } from "../../../components/page/Entry.tsx";
import { useSite } from "../../../state/site-status.ts";
import { EmailCode } from "../registration/EmailCode.tsx";
import { AskDialog } from "../security/AskDialog.tsx";
import { bindWeChat, goToService } from "../sign-in/oauth-calls.ts";
import { type AnyService, readSsoProviders, SERVICES, type ServiceName } from "../sign-in/sign-in-services.ts";
import { useTurnstile } from "../sign-in/use-turnstile.tsx";
import { WeChatDialog } from "../sign-in/WeChatDialog.tsx";

/** The field of a user's identity at each service. */
const FIELDS = {
  github: "github_id",
  oidc: "oidc_id",
  linuxdo: "linux_do_id",
  discord: "discord_id",
  wechat: "wechat_id",
  telegram: "telegram_id",
} as const satisfies Record<ServiceName, keyof UserView>;

/** The email address and sign-in services linked to the account. */
export const BindingsPanel = ({ user }: { user: UserView }) => {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const site = useSite();
  const [dialog, setDialog] = useState<"email" | "wechat" | null>(null);
  const { data: companies = [] } = useQuery({
    queryKey: ["sso-providers"],
    queryFn: readSsoProviders,
    staleTime: 60_000,
  });
  const shown = SERVICES.filter(({ name, isOn }) => user[FIELDS[name]] !== "" || (site && isOn(site)));

  const refresh = () => queries.invalidateQueries(self);
  const bound = async () => {
    setDialog(null);
    notifyDone(t("identities.bound"));
    await refresh();
  };
  const bind = (name: AnyService) => {
    if (name === "wechat") setDialog("wechat");
    else goToService(name, "/personal").catch(notifyError);
  };
  const act = useAction(refresh);
  const askUnbind = (name: AnyService | "email", label: string) =>
    act({
      question: {
        title: t("profile.bindings.unbindTitle", { label }),
        body: t(name === "email" ? "profile.bindings.unbindEmail" : "profile.bindings.unbindBody", { label }),
        action: t("profile.bindings.unbind"),
        isDangerous: true,
      },
      work: () => unbind(name),
      done: ({ message }) => message,
    });
  return (
    <Panel title={t("profile.bindings.title")}>
      <Entry
        title={t("registration.email")}
        action={
          <Row>
            <Button size="small" onClick={() => setDialog("email")}>
              {t(user.email ? "profile.bindings.change" : "profile.bindings.bind")}
            </Button>
            {user.email && (
              <Button size="small" color="error" onClick={() => void askUnbind("email", t("registration.email"))}>
                {t("profile.bindings.unbind")}
              </Button>
            )}
          </Row>
        }
      >
        {user.email || t("profile.bindings.none")}
      </Entry>
      {companies.map(({ name, label }) => {
        const isBound = user.sso.includes(name);
        return (
          <Entry
            key={name}
            title={label}
            action={
              <Button
                size="small"
                {...(isBound && { color: "error" as const })}
                onClick={() => (isBound ? void askUnbind(name, label) : bind(name))}
              >
                {t(isBound ? "profile.bindings.unbind" : "profile.bindings.bind")}
              </Button>
            }
          >
            {t(isBound ? "profile.bindings.bound" : "profile.bindings.none")}
          </Entry>
        );
      })}
      {shown.map(({ name, isOn }) => {
        const subject = user[FIELDS[name]];
        const label = t(`identities.services.${name}`);
        return (
          <Entry
            key={name}
            title={label}
            action={
              subject ? (
                <Button size="small" color="error" onClick={() => void askUnbind(name, label)}>
                  {t("profile.bindings.unbind")}
                </Button>
              ) : (
                <Button size="small" disabled={!site || !isOn(site)} onClick={() => bind(name)}>
                  {t("profile.bindings.bind")}
                </Button>
              )
            }
          >
            {subject ? t("profile.bindings.boundTo", { subject }) : t("profile.bindings.none")}
          </Entry>
        );
      })}
      {dialog === "email" && <EmailDialog onDone={() => void bound()} onClose={() => setDialog(null)} />}
      {dialog === "wechat" && (
        <WeChatDialog
          action={t("profile.bindings.bind")}
          onClose={() => setDialog(null)}
          onCode={async (code) => {
            await bindWeChat(code);
            await bound();
          }}
        />
      )}
    </Panel>
  );
};

/** Links an email address, replacing the previous one, with the code sent to it. */
const EmailDialog = ({ onDone, onClose }: { onDone: () => void; onClose: () => void }) => {
  const { t } = useTranslation();
  const human = useTurnstile("register");
  const [email, setEmail] = useState("");
  const [code, setCode] = useState("");
  const submit = async () => {
    if (email.trim() === "") throw new Error(t("registration.errors.email"));
    if (code.trim() === "") throw new Error(t("registration.errors.code"));
    await bindEmail(email.trim(), code.trim());
    onDone();
  };
  return (
    <AskDialog
      title={t("profile.bindings.emailTitle")}
      action={t("profile.bindings.bind")}
      onSubmit={submit}
      onClose={onClose}
    >
      <EmailCode
        email={email}
        code={code}
        onEmail={setEmail}
        onCode={setCode}
        turnstile={human.token}
        isTurnstileMissing={human.isMissing}
        onSent={human.renew}
      />
      {human.widget}
    </AskDialog>
  );
};
