/**
 * One script per page. VitePress writes two: the whole one, and a lean one for a page that is opened first, whose texts are
 * in the HTML already. The lean ones would be a third of all files, each of a block of the disk or more.
 */
import type { Plugin } from 'vite'

/** Removes the lean scripts, and makes the client load the whole ones. */
export function wholePages(): Plugin {
  return {
    name: 'whole-pages',
    apply: 'build',
    transform: {
      order: 'pre',
      handler(code, id) {
        if (!id.endsWith('/vitepress/dist/client/app/index.js')) return undefined
        const whole = code.replace(/pageFilePath = pageFilePath\.replace\([^;]*'\.lean\.js'\);/, '')
        if (whole === code) throw new Error('the client of VitePress loads lean scripts in another way')
        return { code: whole, map: null }
      },
    },
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        for (const [name, { fileName }] of Object.entries(bundle)) {
          if (fileName.endsWith('.lean.js')) delete bundle[name]
        }
      },
    },
  }
}

/** Makes a page's head name its whole script. */
export const withWholePage = (html: string): string => html.replaceAll('.lean.js"', '.js"')
