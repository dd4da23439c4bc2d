import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Divider from "@mui/material/Divider";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { notifyError } from "../../../components/feedback/notify.tsx";
import { useSite } from "../../../state/site-status.ts";
import {
  type AnyService,
  goToService,
  SERVICES,
  type SignInResult,
  signInByWeChat,
  ssoProviders,
} from "./oauth-calls.ts";
import { ProviderIcon } from "./ProviderIcon.tsx";

const WeChatDialog = lazy(async () => ({ default: (await import("./WeChatDialog.tsx")).WeChatDialog }));

type Props = {
  /** Where to go once signed in. */
  returnTo: string;
  /** WeChat signs in within the page. */
  onSignIn: (result: SignInResult) => void;
};

/** Sign-in services other than a password; renders nothing if there are none. */
export const ServiceButtons = ({ returnTo, onSignIn }: Props) => {
  const { t } = useTranslation();
  const site = useSite();
  const [leavingFor, setLeavingFor] = useState<AnyService | null>(null);
  const [asksWeChat, setAsksWeChat] = useState(false);
  const offered = site ? SERVICES.filter(({ isOn }) => isOn(site)) : [];
  const { data: companies = [] } = useQuery(ssoProviders);
  if (offered.length + companies.length === 0) return null;

  const use = async (name: AnyService) => {
    if (name === "wechat") return setAsksWeChat(true);
    setLeavingFor(name);
    try {
      await goToService(name, returnTo);
    } catch (error) {
      setLeavingFor(null);
      notifyError(error);
    }
  };
  return (
    <>
      <Divider sx={{ my: 4, fontSize: 12, color: "text.tertiary" }}>{t("oauth.or")}</Divider>
      <Box
        sx={{ display: "grid", gridTemplateColumns: offered.length + companies.length > 1 ? "1fr 1fr" : "1fr", gap: 2 }}
      >
        {companies.map(({ name, label, icon }) => (
          <Button
            key={name}
            onClick={() => void use(name)}
            loading={leavingFor === name}
            disabled={leavingFor !== null}
            startIcon={<ProviderIcon icon={icon} />}
            sx={{ height: 36 }}
          >
            {label}
          </Button>
        ))}
        {offered.map(({ name }) => (
          <Button
            key={name}
            onClick={() => void use(name)}
            loading={leavingFor === name}
            disabled={leavingFor !== null}
            sx={{ height: 36 }}
          >
            {t(`oauth.services.${name}`)}
          </Button>
        ))}
      </Box>
      {asksWeChat && (
        <Suspense>
          <WeChatDialog
            action={t("oauth.wechat.signIn")}
            onClose={() => setAsksWeChat(false)}
            onCode={async (code) => {
              const { data } = await signInByWeChat(code);
              setAsksWeChat(false);
              onSignIn(data);
            }}
          />
        </Suspense>
      )}
    </>
  );
};
