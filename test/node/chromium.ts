/** The Chromium that tests run in. */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { LaunchOptions } from 'playwright'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']

/** What `PRESEAL_CHROMIUM` names, else the first on the PATH; undefined where there is none. */
function findChromium(): string | undefined {
  const named = process.env['PRESEAL_CHROMIUM']
  if (named !== undefined) return named
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const executablePath = findChromium()

/** How Playwright is to launch it. */
export const LAUNCH_OPTIONS: LaunchOptions = {
  ...(executablePath !== undefined && { executablePath }),
  // Chromium's sandbox cannot be had by root.
  chromiumSandbox: process.getuid?.() !== 0,
}

/** Vitest's global setup: says what is missing, before Playwright looks for a browser of its own. */
export default function requireChromium(): void {
  if (executablePath === undefined || !isExecutable(executablePath)) {
    throw new Error(
      `no Chromium to run the tests in: ${executablePath ?? NAMES.join(', ')} cannot be executed. ` +
        'Install one, or name it in PRESEAL_CHROMIUM; `npm test -- --project node` goes without.',
    )
  }
}
