import KeyOutlined from "@mui/icons-material/KeyOutlined";
import Button from "@mui/material/Button";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { notifyError } from "../../components/notify.tsx";
import type { StoredUser } from "../session/stored-user.ts";

/** Signs in with a passkey of this device or key; nothing where the browser knows none. */
export const PasskeyButton = ({ onUser }: { onUser: (user: StoredUser) => void }) => {
  const { t } = useTranslation();
  const [isAsking, setAsking] = useState(false);
  if (typeof window.PublicKeyCredential !== "function") return null;
  const ask = async () => {
    setAsking(true);
    try {
      const { signInWithPasskey } = await import("../security/passkey-calls.ts");
      const user = await signInWithPasskey();
      if (user) onUser(user);
    } catch (error) {
      notifyError(error);
    } finally {
      setAsking(false);
    }
  };
  return (
    <Button
      fullWidth
      onClick={() => void ask()}
      loading={isAsking}
      startIcon={<KeyOutlined />}
      sx={{ height: 36, mt: 2 }}
    >
      {t("login.passkey")}
    </Button>
  );
};
