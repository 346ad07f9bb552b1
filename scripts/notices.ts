/** Writes dist/THIRD-PARTY-NOTICES.txt: the licence of every package whose code the bundles contain. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface Metafile {
  readonly outputs: Record<string, { readonly inputs: Record<string, { readonly bytesInOutput: number }> }>
}

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly repository?: string | { readonly url: string }
}

const readJson = <T>(path: string): T => JSON.parse(readFileSync(path, 'utf8'))

/** A package of others: installed, or compiled from their sources. */
const PACKAGE = /^(?:(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+|wasm\/secp256k1)/

/** The folders of the packages whose code is in the bundles, from the paths of the bundles' inputs. */
function bundledPackages(metafiles: readonly Metafile[]): string[] {
  const folders = new Set<string>()
  for (const { outputs } of metafiles) {
    for (const { inputs } of Object.values(outputs)) {
      for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
        const folder = PACKAGE.exec(path)?.[0]
        if (folder !== undefined && bytesInOutput > 0) folders.add(folder)
      }
    }
  }
  return [...folders].sort()
}

/** The licence's text from the package. For the MPL, whose text never varies, a link is enough. */
function licenceText(folder: string, { name, license }: Manifest): string {
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)/i.test(entry))
  if (file !== undefined) return readFileSync(join(folder, file), 'utf8').trim()
  if (license === 'MPL-2.0')
    return 'See https://www.mozilla.org/MPL/2.0/ and the packages of the same licence here.'
  throw new Error(`${name} has no licence file`)
}

function notice(folder: string): string {
  const manifest = readJson<Manifest>(join(folder, 'package.json'))
  const { name, version, license, repository } = manifest
  const url = typeof repository === 'string' ? repository : repository?.url
  const heading = [`${name} ${version} (${license})`, ...(url === undefined ? [] : [`Source: ${url}`])]
  return [heading.join('\n'), licenceText(folder, manifest)].join('\n\n')
}

const metafiles = ['dist/metafile-esm.json', 'dist/metafile-cjs.json'].map((path) => readJson<Metafile>(path))
const notices = new Set(bundledPackages(metafiles).map(notice))
const preamble = 'preseal contains code of the packages below, unmodified, under their own licences.'
const rule = `\n\n${'-'.repeat(80)}\n\n`
writeFileSync('dist/THIRD-PARTY-NOTICES.txt', `${[preamble, ...notices].join(rule)}\n`)
