/** The editor of live code. Loaded with the first click on Edit. */
import { javascript } from '@codemirror/lang-javascript'
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { keymap } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { basicSetup, EditorView } from 'codemirror'

/** The colours of the site's code, see theme/style.css. */
const COLOURS = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: 'var(--live-keyword)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--live-string)' },
  { tag: [tags.comment], color: 'var(--live-comment)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--live-number)' },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName)], color: 'var(--live-call)' },
])

/** What an editor tells its page. */
export interface EditorListener {
  onChange(source: string): void
  /** Called by Ctrl-Enter and Cmd-Enter. */
  onRun(): void
}

/** Opens an editor in an element. Escape, then Tab leaves it by keyboard. @returns removes it. */
export function openEditor(parent: Element, source: string, { onChange, onRun }: EditorListener): () => void {
  const runByKey = (): boolean => {
    onRun()
    return true
  }
  const view = new EditorView({
    parent,
    doc: source,
    extensions: [
      keymap.of([{ key: 'Mod-Enter', run: runByKey }]),
      basicSetup,
      javascript({ typescript: true }),
      syntaxHighlighting(COLOURS),
      EditorView.contentAttributes.of({ 'aria-label': 'Code' }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) onChange(update.state.doc.toString())
      }),
    ],
  })
  view.focus()
  return () => view.destroy()
}
