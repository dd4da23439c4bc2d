import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Divider from "@mui/material/Divider";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { notifyError } from "../../../components/feedback/notify.tsx";
import { goToService, type SignInResult, signInByWeChat } from "./oauth-calls.ts";
import { ProviderIcon } from "./ProviderIcon.tsx";
import type { AnyService, SignInServices } from "./sign-in-services.ts";

const WeChatDialog = lazy(async () => ({ default: (await import("./WeChatDialog.tsx")).WeChatDialog }));

type Props = SignInServices & {
  /** Where to go once signed in. */
  returnTo: string;
  /** WeChat signs in within the page. */
  onSignIn: (result: SignInResult) => void;
};

/** Buttons of sign-in services other than a password. */
export const ServiceButtons = ({ services, companies, returnTo, onSignIn }: Props) => {
  const { t } = useTranslation();
  const [leavingFor, setLeavingFor] = useState<AnyService | null>(null);
  const [asksWeChat, setAsksWeChat] = useState(false);

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
      <Divider sx={{ my: 4, fontSize: 12, color: "text.tertiary" }}>{t("identities.or")}</Divider>
      <Box
        sx={{
          display: "grid",
          gridTemplateColumns: services.length + companies.length > 1 ? "1fr 1fr" : "1fr",
          gap: 2,
        }}
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
        {services.map((name) => (
          <Button
            key={name}
            onClick={() => void use(name)}
            loading={leavingFor === name}
            disabled={leavingFor !== null}
            sx={{ height: 36 }}
          >
            {t(`identities.services.${name}`)}
          </Button>
        ))}
      </Box>
      {asksWeChat && (
        <Suspense>
          <WeChatDialog
            action={t("identities.wechat.signIn")}
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
