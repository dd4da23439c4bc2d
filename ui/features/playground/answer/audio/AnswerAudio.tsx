import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { wavOf } from "./wav.ts";

/** Plays the audio of an answer; its transcript is the answer's text. */
export default function AnswerAudio({ pieces }: Readonly<{ pieces: readonly string[] }>) {
  const { t } = useTranslation();
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([wavOf(pieces)], { type: "audio/wav" }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [pieces]);
  return (
    // biome-ignore lint/a11y/useMediaCaption: what it says is the text above
    <audio controls src={address} aria-label={t("playground.audio")} style={{ width: "100%", maxWidth: 420 }} />
  );
}
