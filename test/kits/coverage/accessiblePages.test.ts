import { describe, expect, it } from 'vitest'
import { toAccessiblePage, writeAccessiblePages } from '../../../src/kits/coverage/report.ts'

/** A writer of istanbul's, whose files are texts by path. */
function createWriter(files: Map<string | null, string>, folder = '') {
  return {
    writeFile(file: string | null) {
      const path = file === null ? null : `${folder}${file}`
      files.set(path, '')
      return {
        write(text: string) {
          files.set(path, files.get(path) + text)
        },
        close() {
          files.set(path, `${files.get(path)}.`)
        },
      }
    },
    writerForDir: (name: string) => createWriter(files, `${folder}${name}/`),
  }
}

const HEAD = '<head><title>Vault.sol</title></head>'

describe('the pages of coverage', () => {
  it('get landmarks, labels and a style, whatever parts they are written in', () => {
    const files = new Map<string | null, string>()
    const writer = writeAccessiblePages(createWriter(files)).writerForDir('lcov-report')
    const page = writer.writeFile('index.html')
    for (const part of [HEAD, "<div class='wrap", 'per\'><input type="search" id="fileSearch"></div>'])
      page.write(part)
    expect(files.get('lcov-report/index.html')).toBe('')
    page.close()
    const written = files.get('lcov-report/index.html')!
    expect(written).toMatch(/<style>.*prefers-color-scheme: dark.*<\/style>\n<\/head>/s)
    expect(written.slice(written.indexOf('</head>'))).toBe(
      '</head><div class=\'wrapper\' role=\'main\'><input type="search" id="fileSearch" aria-label="Filter"></div>.',
    )
  })

  it('name the columns of a summary that have no heading', () => {
    const columns = '<th class="pic"></th><th data-col="lines_raw" class="abs"></th><th>Lines</th>'
    expect(toAccessiblePage(columns)).toBe(
      '<th class="pic"><span class="unseen">Share of statements</span></th>' +
        '<th data-col="lines_raw" class="abs"><span class="unseen">Covered lines of all</span></th><th>Lines</th>',
    )
  })

  it('are those of istanbul alone: other files and other pages stay as they are', () => {
    const files = new Map<string | null, string>()
    const writer = writeAccessiblePages(createWriter(files))
    const texts = { 'lcov.info': "<div class='wrapper'>", 'app.html': `${HEAD}<div id="app"></div>` }
    for (const [file, text] of Object.entries(texts)) {
      const content = writer.writeFile(file)
      content.write(text)
      content.close()
    }
    writer.writeFile(null).write('text')
    expect(Object.fromEntries(files)).toEqual({
      'lcov.info': `${texts['lcov.info']}.`,
      'app.html': `${texts['app.html']}.`,
      null: 'text',
    })
  })
})
