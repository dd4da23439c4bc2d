import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useTurnstile } from "../login/use-turnstile.tsx";
import { EmailCode } from "../register/EmailCode.tsx";
import { AskDialog } from "../security/AskDialog.tsx";
import { bindEmail } from "./self-calls.ts";

/** Binds an address, in place of the one before, with the code that is mailed to it. */
export const EmailDialog = ({ onDone, onClose }: { onDone: () => void; onClose: () => void }) => {
  const { t } = useTranslation();
  const human = useTurnstile("register");
  const [email, setEmail] = useState("");
  const [code, setCode] = useState("");
  const submit = async () => {
    if (email.trim() === "") throw new Error(t("register.errors.email"));
    if (code.trim() === "") throw new Error(t("register.errors.code"));
    await bindEmail(email.trim(), code.trim());
    onDone();
  };
  return (
    <AskDialog
      title={t("personal.bindings.emailTitle")}
      action={t("personal.bindings.bind")}
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
