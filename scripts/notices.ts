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

/** Code that a package contains in compiled form, which the package's own licence does not cover. */
const compiledIn: Record<string, { readonly origin: string; readonly text: string }[]> = {
  '@bitauth/libauth': [
    {
      origin: 'libsecp256k1, compiled to WebAssembly (MIT)',
      text: `Copyright (c) 2013 Pieter Wuille

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in
all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN
THE SOFTWARE.`,
    },
  ],
  'hash-wasm': [
    {
      origin: 'sha3.c, compiled to WebAssembly (0BSD)',
      text: `Copyright (c) 2013, Aleksey Kravchenko <rhash.admin@gmail.com>

Permission to use, copy, modify, and/or distribute this software for any
purpose with or without fee is hereby granted.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY
AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM
LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE
OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR
PERFORMANCE OF THIS SOFTWARE.`,
    },
  ],
}

const readJson = <T>(path: string): T => JSON.parse(readFileSync(path, 'utf8'))

/** The folders of the packages whose code is in the bundles, from the paths of the bundles' inputs. */
function bundledPackages(metafiles: readonly Metafile[]): string[] {
  const folders = new Set<string>()
  for (const { outputs } of metafiles) {
    for (const { inputs } of Object.values(outputs)) {
      for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
        const folder = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]
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
  const parts = [heading.join('\n'), licenceText(folder, manifest)]
  for (const { origin, text } of compiledIn[name] ?? []) parts.push(`Contains ${origin}:`, text)
  return parts.join('\n\n')
}

const metafiles = ['dist/metafile-esm.json', 'dist/metafile-cjs.json'].map((path) => readJson<Metafile>(path))
const notices = new Set(bundledPackages(metafiles).map(notice))
const preamble = 'preseal contains code of the packages below, unmodified, under their own licences.'
const rule = `\n\n${'-'.repeat(80)}\n\n`
writeFileSync('dist/THIRD-PARTY-NOTICES.txt', `${[preamble, ...notices].join(rule)}\n`)
