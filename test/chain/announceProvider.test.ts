import { describe, expect, it, vi } from 'vitest'
import { InvalidOptionError } from '../../src/base/errors.ts'
import { type AnnounceOptions, announceProvider, type Provider, type ProviderInfo } from '../../src/index.ts'
import { startChain } from '../harness.ts'

interface Detail {
  readonly info: ProviderInfo
  readonly provider: Provider
}

/** A page that records announcements, and can request them. */
function createPage() {
  const window = new EventTarget()
  const details: Detail[] = []
  window.addEventListener('eip6963:announceProvider', (event) => {
    details.push((event as CustomEvent<Detail>).detail)
  })
  return {
    window,
    details,
    requestProvider: () => window.dispatchEvent(new Event('eip6963:requestProvider')),
  }
}

const INFO: ProviderInfo = {
  uuid: '350670db-19fa-4704-a166-e52e178b59d2',
  name: 'pre-confirmed',
  icon: 'data:image/png;base64,AAAA',
  rdns: 'com.example.preconf',
}

describe('announceProvider', () => {
  it('announces a provider at once, and the same one at each request of the page', async () => {
    const { preconf } = await startChain()
    const { window, details, requestProvider } = createPage()
    announceProvider(preconf, { window, info: INFO })
    expect(details).toEqual([{ info: INFO, provider: preconf }])
    expect(details[0]!.provider).toBe(preconf)
    requestProvider()
    requestProvider()
    expect(details).toHaveLength(3)
    expect(new Set(details).size).toBe(1)
  })

  it('announces a provider to a page that requested providers before', async () => {
    const { preconf } = await startChain()
    const { window, details, requestProvider } = createPage()
    requestProvider()
    expect(details).toEqual([])
    announceProvider(preconf, { window })
    expect(details).toHaveLength(1)
  })

  it('freezes what it announces', async () => {
    const { preconf } = await startChain()
    const { window, details } = createPage()
    announceProvider(preconf, { window })
    const [detail] = details
    expect([Object.isFrozen(detail), Object.isFrozen(detail!.info)]).toEqual([true, true])
  })

  it('announces a name, a square image, a domain and a unique identifier', async () => {
    const { preconf, standard } = await startChain()
    const { window, details } = createPage()
    announceProvider(preconf, { window })
    announceProvider(standard, { window, info: { name: 'sealed', rdns: 'localhost.preseal.standard' } })
    const uuid = expect.stringMatching(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    )
    const icon = expect.stringMatching(/^data:image\/svg\+xml,%3Csvg%20.*viewBox%3D%220%200%2096%2096%22/)
    expect(details.map(({ info }) => info)).toEqual([
      { uuid, name: 'preseal', icon, rdns: 'localhost.preseal' },
      { uuid, name: 'sealed', icon, rdns: 'localhost.preseal.standard' },
    ])
    expect(details[0]!.info.uuid).not.toBe(details[1]!.info.uuid)
  })

  it('ends when it is withdrawn, and when the provider is closed', async () => {
    const chain = await startChain()
    const { window, details, requestProvider } = createPage()
    const withdraw = announceProvider(chain.preconf, { window })
    announceProvider(chain.standard, { window, info: { rdns: 'localhost.preseal.standard' } })
    expect(details).toHaveLength(2)
    withdraw()
    withdraw()
    requestProvider()
    expect(details.slice(2).map(({ provider }) => provider)).toEqual([chain.standard])
    await chain.close()
    requestProvider()
    expect(details).toHaveLength(3)
  })

  it('does not announce a closed provider, and adds no listener to the window', async () => {
    const chain = await startChain()
    const { preconf } = chain
    const connection = chain.provider('standard')
    connection.close()
    expect([connection.closed, preconf.closed]).toEqual([true, false])
    await chain.close()
    expect([preconf.closed, chain.provider('preconf').closed]).toEqual([true, true])
    const { window, details } = createPage()
    const added = vi.spyOn(window, 'addEventListener')
    for (const provider of [connection, preconf, chain.standard, chain.provider('preconf')]) {
      announceProvider(provider, { window })()
    }
    expect({ details, added: added.mock.calls }).toEqual({ details: [], added: [] })
  })

  it("creates events of the window's own class", async () => {
    const { preconf } = await startChain()
    class OtherEvent<T> extends CustomEvent<T> {}
    const window = Object.assign(new EventTarget(), { CustomEvent: OtherEvent })
    const events: Event[] = []
    window.addEventListener('eip6963:announceProvider', (event) => events.push(event))
    announceProvider(preconf, { window })
    expect(events).toEqual([expect.any(OtherEvent)])
  })

  it.each<[string, AnnounceOptions, string]>([
    [
      'no window',
      { window: {} as never },
      'window: expected a Window, which must be given outside of a browser page',
    ],
    [
      'a uuid of another version',
      { info: { uuid: INFO.uuid.replace('-4', '-1') } },
      'info.uuid: expected a version 4 UUID',
    ],
    ['no name', { info: { name: '' } }, 'info.name: expected a string that is not empty'],
    [
      'a link as its icon',
      { info: { icon: 'https://example.com' } },
      'info.icon: expected a data URI of an image',
    ],
    ['no domain', { info: { rdns: 'preseal' } }, 'info.rdns: expected a reverse domain name'],
  ])('announces nothing with %s', async (_name, options, message) => {
    const { preconf } = await startChain()
    const { window, details, requestProvider } = createPage()
    const announce = () => announceProvider(preconf, { window, ...options })
    expect(announce).toThrow(InvalidOptionError)
    expect(announce).toThrow(`invalid option ${message}`)
    requestProvider()
    expect(details).toEqual([])
  })
})
