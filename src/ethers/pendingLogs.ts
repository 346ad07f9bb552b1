/** Log events at the tick. */
import { type EventFilter, type SocketProvider, SocketSubscriber } from 'ethers'

/** What `SocketEventSubscriber` of ethers is for sealed logs. */
export class PendingLogsSubscriber extends SocketSubscriber {
  constructor(provider: SocketProvider, filter: EventFilter) {
    super(provider, ['pendingLogs', filter])
  }

  override async _emit(
    provider: SocketProvider,
    log: Parameters<SocketProvider['_wrapLog']>[0],
  ): Promise<void> {
    const [, filter] = this.filter as [string, EventFilter]
    await provider.emit(filter, provider._wrapLog(log, provider._network))
  }
}
