import Close from "@mui/icons-material/CloseOutlined";
import Button from "@mui/material/Button";
import Chip from "@mui/material/Chip";
import OutlinedInput from "@mui/material/OutlinedInput";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { Field, Row } from "../../../components/layout.tsx";
import { addDomain, domainsOf } from "../setting-text.ts";

type DomainFieldProps = Readonly<{
  id: string;
  label: string;
  hint: string;
  value: string;
  onChange: (text: string) => void;
  /** Below the list. */
  children?: ReactNode;
}>;

/** A list of mail domains as chips; each is validated when it is added. */
export const DomainField = ({ id, label, hint, value, onChange, children }: DomainFieldProps) => {
  const { t } = useTranslation();
  const [typed, setTyped] = useState("");
  const [fault, setFault] = useState<"invalid" | "duplicate" | null>(null);
  const add = () => {
    const result = addDomain(value, typed);
    if ("fault" in result) {
      setFault(result.fault);
      return;
    }
    setFault(null);
    setTyped("");
    onChange(result.list);
    notifyDone(t("settings.domains.added"));
  };
  return (
    <Field
      label={label}
      htmlFor={id}
      hint={hint}
      error={fault && t(`settings.domains.errors.${fault}`)}
      sx={{ gridColumn: "1 / -1" }}
    >
      <Row gap={1.5} wrap sx={{ mb: 2 }}>
        {domainsOf(value).map((domain) => (
          <Chip
            key={domain}
            label={domain}
            deleteIcon={<Close role="button" aria-label={t("components.nameList.remove", { name: domain })} />}
            onDelete={() =>
              onChange(
                domainsOf(value)
                  .filter((other) => other !== domain)
                  .join(","),
              )
            }
          />
        ))}
      </Row>
      <Row gap={2} sx={{ maxWidth: 420 }}>
        <OutlinedInput
          id={id}
          fullWidth
          value={typed}
          error={fault !== null}
          placeholder="example.com"
          onChange={(event) => {
            setFault(null);
            setTyped(event.target.value);
          }}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            add();
          }}
        />
        <Button onClick={add} disabled={typed.trim() === ""}>
          {t("settings.domains.add")}
        </Button>
      </Row>
      {children}
    </Field>
  );
};
