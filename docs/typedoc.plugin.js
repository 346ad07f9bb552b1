/** Names the entries as they are imported, leaves out what errors inherit, and keeps the pages out of the search. */
import { Converter, ReflectionKind } from 'typedoc'
import { MarkdownPageEvent } from 'typedoc-plugin-markdown'

/** The module's name by the folder of its file, without the wing: `index` is the package itself. */
const nameOf = (folder) => (folder === 'index' ? 'preseal' : folder.split('/').at(-1))

export function load(app) {
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (_context, reflection) => {
    if (reflection.kind === ReflectionKind.Module) reflection.name = nameOf(reflection.name)
  })
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    const members = project.getReflectionsByKind(
      ReflectionKind.Constructor | ReflectionKind.Property | ReflectionKind.Accessor | ReflectionKind.Method,
    )
    for (const member of members) {
      const isOfError = member.parent?.kind === ReflectionKind.Class && /Error$/.test(member.parent.name)
      // Callers catch errors, and do not construct them. What they inherit is on the page of the base class.
      if (isOfError && (member.inheritedFrom !== undefined || /^(constructor|name)$/.test(member.name))) {
        project.removeReflection(member)
      }
    }
  })
  app.renderer.on(MarkdownPageEvent.END, (page) => {
    const name = page.model.kind === ReflectionKind.Module ? page.model.name : undefined
    const title = name === undefined ? 'API' : name === 'preseal' ? name : `preseal/${name}`
    const order = name === undefined ? 70 : name === 'preseal' ? 0 : 1
    const front = [
      `title: "${title}"`,
      `order: ${order}`,
      'search: false',
      'editLink: false',
      'outline: [2, 3]',
    ]
    page.contents = `---\n${front.join('\n')}\n---\n\n${page.contents.replace(/^# .*$/m, `# ${title}`)}`
  })
}
