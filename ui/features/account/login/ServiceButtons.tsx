import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Divider from "@mui/material/Divider";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { notifyError } from "../../../components/feedback/notify.tsx";
import { useSite } from "../../../state/site-status.ts";
import { goToService, SERVICES, type ServiceName, type SignInResult, signInByWeChat } from "./oauth-calls.ts";

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
  const [leavingFor, setLeavingFor] = useState<ServiceName | null>(null);
  const [asksWeChat, setAsksWeChat] = useState(false);
  const offered = site ? SERVICES.filter(({ isOn }) => isOn(site)) : [];
  if (offered.length === 0) return null;

  const use = async (name: ServiceName) => {
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
      <Box sx={{ display: "grid", gridTemplateColumns: offered.length > 1 ? "1fr 1fr" : "1fr", gap: 2 }}>
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
