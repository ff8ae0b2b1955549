"""Organizations, their members, and invitations. All of it needs a session token."""

from collections.abc import Mapping, Sequence
from typing import cast

from . import types
from ._calls import Calls
from .api_error import ApiError


class Organizations:
    """The organizations of the person who asks. A session acts for one of them."""

    def __init__(self, calls: Calls) -> None:
        self._call = calls.call

    def list(self) -> types.OrganizationList:
        return cast(types.OrganizationList, self._call("GET /api/organizations"))

    def create(self, name: str) -> types.Organization:
        """Makes another one. The session still acts for the one before."""
        return cast(types.Organization, self._call("POST /api/organizations", body={"name": name})["organization"])

    def switch_to(self, organization_id: str) -> types.Organization:
        """From the answer on the session, with its tokens, acts for this organization."""
        path = {"organization_id": organization_id}
        answer = self._call("POST /api/organizations/{organization_id}/switch", path)
        return cast(types.Organization, answer["organization"])

    def rename(self, name: str) -> types.Organization:
        """Renames the one that the session acts for."""
        return cast(types.Organization, self._call("PATCH /api/organization", body={"name": name})["organization"])

    def require_second_factor(self, required_from: int | None) -> int | None:
        """Of all members, from this time (milliseconds since 1970) on; None ends it."""
        answer = self._call("PUT /api/organization/second-factor", body={"requiredFrom": required_from})
        return cast("int | None", answer["requiredFrom"])

    def require_recovery(self, required: bool) -> bool:
        """Whether it takes envelopes only while its signed list of members has a recovery key."""
        answer = self._call("PUT /api/organization/recovery", body={"requireRecovery": required})
        return cast(bool, answer["requireRecovery"])

    def delete(self) -> int:
        """Deletes the one that the session acts for, after 30 days: the answer is when."""
        answer = self._call("POST /api/organization/deletion", query={"confirm": "DELETE_ORGANIZATION"})
        if answer["deletedAt"] is None:
            raise ApiError("The server's answer does not say when the organization is deleted", status=200)
        return cast(int, answer["deletedAt"])

    def keep(self) -> None:
        """Keeps it after all."""
        self._call("DELETE /api/organization/deletion")


class Members:
    """The members of the organization that the session acts for."""

    def __init__(self, calls: Calls) -> None:
        self._call = calls.call
        self._data = calls.data

    def list(self) -> types.MemberList:
        """The oldest first."""
        return cast(types.MemberList, self._call("GET /api/members"))

    def signed_list(self) -> bytes:
        """The organization's signed list, which nobody has checked yet. An API key with `submissions:read` is enough."""
        return self._data("GET /api/member-list")

    def signed_list_names(self) -> bytes:
        """The file of names next to the signed list, which proves the names that the list commits to. Ask for it after the list."""
        return self._data("GET /api/member-list/names")

    def change(
        self, member_id: str, *, role: types.Role | None = None, forms: Sequence[str] | None = None
    ) -> types.Member:
        """Gives a member another role, or other forms: `forms` are ids, for readers and developers alone."""
        body = _grant({} if role is None else {"role": role}, forms)
        answer = self._call("PATCH /api/members/{member_id}", {"member_id": member_id}, body=body)
        return cast(types.Member, answer["member"])

    def remove(self, member_id: str) -> None:
        """Their sessions act for the organization no longer, and the API keys that they made are revoked."""
        self._call("DELETE /api/members/{member_id}", {"member_id": member_id})

    def leave(self) -> None:
        """Ends the membership of the person who asks."""
        self._call("POST /api/members/leave")


class Invitations:
    """Invitations to the organization that the session acts for, and accepting one."""

    def __init__(self, calls: Calls) -> None:
        self._call = calls.call

    def list(self) -> types.InvitationList:
        """The open ones, newest first, without their links."""
        return cast(types.InvitationList, self._call("GET /api/invitations"))

    def create(self, email: str, role: types.Role, *, forms: Sequence[str] | None = None) -> types.CreatedInvitation:
        """Invites an address. `url` of the answer is the only copy of the link."""
        body = _grant({"email": email, "role": role}, forms)
        return cast(types.CreatedInvitation, self._call("POST /api/invitations", body=body))

    def revoke(self, invitation_id: str) -> None:
        """Takes one back."""
        self._call("DELETE /api/invitations/{invitation_id}", {"invitation_id": invitation_id})

    def accept(self, token: str) -> str:
        """The id of the organization that the person belongs to now. `token` is the part of the link after the #."""
        return str(self._call("POST /api/invitations/accept", body={"token": token})["organizationId"])


def _grant(body: Mapping[str, object], forms: Sequence[str] | None) -> Mapping[str, object]:
    return body if forms is None else {**body, "forms": [*forms]}
