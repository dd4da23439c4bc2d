/** Converts WebVTT subtitles to SubRip: numbered, with commas in the times. */
export function srtOf(vtt: string): string {
  const cues = vtt
    .replace(/\r\n?/g, "\n")
    .split(/\n{2,}/)
    .filter((block) => block.includes("-->"));
  return cues
    .map((cue, at) => {
      const lines = cue.trim().split("\n");
      const begins = lines.findIndex((line) => line.includes("-->"));
      const [from = "", to = ""] = (lines[begins] ?? "").split("-->").map(srtTime);
      return `${at + 1}\n${from} --> ${to}\n${lines.slice(begins + 1).join("\n")}\n`;
    })
    .join("\n");
}

/** A WebVTT time may lack hours, and settings may follow it. */
function srtTime(written: string): string {
  const [time = ""] = written.trim().split(/\s/);
  const full = time.split(":").length === 2 ? `00:${time}` : time;
  return full.replace(".", ",");
}
