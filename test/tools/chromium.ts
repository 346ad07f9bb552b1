/** The Chromium that tests run in; without one they are skipped, or fail in CI. */
import type { LaunchOptions } from 'playwright'
import { findExecutable, isExecutable } from './executables.ts'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']

/** How to install Chromium, as printed. */
export const HOW_TO_INSTALL = `To install it:
  Debian, Ubuntu  apt-get install chromium
  elsewhere       PRESEAL_CHROMIUM=… npm test, with the path of a Chromium or Chrome that is installed
                  (on macOS '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome')`

const executablePath = findExecutable('PRESEAL_CHROMIUM', NAMES)

/** How Playwright launches it. */
export const LAUNCH_OPTIONS: LaunchOptions = {
  ...(executablePath !== undefined && { executablePath }),
  // Chromium's sandbox does not run as root.
  chromiumSandbox: process.getuid?.() !== 0,
}

/** Whether the tests that need Chromium are skipped: there is none, and this is not a CI run. */
export const SKIPS_CHROMIUM = executablePath === undefined && !process.env['CI']

/**
 * Vitest's global setup of the projects that need Chromium: it fails before Playwright looks for its own browser.
 *
 * @throws Error if there is no Chromium in a CI run, or if what `PRESEAL_CHROMIUM` names cannot be executed.
 */
export default function requireChromium(): void {
  if (SKIPS_CHROMIUM) return
  if (executablePath === undefined) {
    throw new Error(`There is no Chromium on the PATH (${NAMES.join(', ')}). ${HOW_TO_INSTALL}`)
  }
  if (!isExecutable(executablePath)) {
    throw new Error(`PRESEAL_CHROMIUM must be the path of an executable, and ${executablePath} is none`)
  }
}
