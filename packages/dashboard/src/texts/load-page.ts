import { loadLaterTexts } from "./load-texts.ts";

/** A page's script could not be fetched because the server could not be reached. */
export class PageUnreachable extends Error {}

/**
 * Fetches the script of a page, or of a part of one, once there are the texts that it may show. Where the server answers, but not with this script, it is a newer version by now: the router
 * then loads everything again. Where it does not answer, that would leave nothing on the screen but the browser's own page.
 */
export function loading<Module>(fetchPage: () => Promise<Module>): () => Promise<Module> {
  return async () => {
    try {
      await loadLaterTexts();
      return await fetchPage();
    } catch (cause) {
      if (await isReachable()) throw cause;
      throw new PageUnreachable("unreachable", { cause });
    }
  };
}

/** A script that could not be fetched stays so for the browser until the app is restarted; without a server it could not. */
export async function restartWhenReachable(): Promise<void> {
  if (await isReachable()) window.location.reload();
}

const answerMillisecondsMax = 10_000;

async function isReachable(): Promise<boolean> {
  try {
    const answer = await fetch("/health/live", { signal: AbortSignal.timeout(answerMillisecondsMax) });
    return answer.ok;
  } catch {
    return false;
  }
}
